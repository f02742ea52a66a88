import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, isExecutable } from "./cache.mjs";
import { onPath, script } from "./debian.mjs";
import { runStep } from "./step.mjs";

/**
 * The path of a program that runs Java with Maven's packages in the cache. A machine without Java or Maven goes
 * without: only the suites that need the program fail then.
 * @param {{
 *   title: string, folder: string, program: string, version: string, group: string, artifacts: string[],
 *   command: (libs: string) => string,
 * }} server `command`: what follows `java`
 * @returns {Promise<string | undefined>}
 */
export async function mavenProgram({ title, folder: name, program, version, group, artifacts, command }) {
  const folder = join(cacheFolder, name, version);
  const path = join(folder, program);
  if (await isExecutable(path)) return path;
  const [java, maven] = await Promise.all(["java", "mvn"].map(onPath));
  if (java === undefined || maven === undefined) {
    const advice = `Java 17 and Maven run ${title} (Debian: apt-get install default-jre-headless maven).`;
    console.log(`servers: no ${title}: ${advice}`);
    return undefined;
  }
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  await writeFile(join(partial, "pom.xml"), pomOf({ version, group, artifacts }));
  const args = ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${join(partial, "libs")}`];
  await runStep({ name: `download ${title}`, command: maven, args, cwd: partial });
  await rm(folder, { recursive: true, force: true });
  await rename(partial, folder);
  await script(path, `exec '${java}' ${command(join(folder, "libs"))} "$@"`);
  return path;
}

function pomOf({ version, group, artifacts }) {
  const dependency = (artifact) => `    <dependency>
      <groupId>${group}</groupId>
      <artifactId>${artifact}</artifactId>
      <version>${version}</version>
    </dependency>`;
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>ebb</groupId>
  <artifactId>servers</artifactId>
  <version>1</version>
  <dependencies>
${artifacts.map(dependency).join("\n")}
  </dependencies>
</project>
`;
}
