// A CycloneDX document of what the bundles hold. The same sources give the same bytes: no time, no serial number.
import { readFile } from "node:fs/promises";
import { Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";

const purlOf = ({ name, version }) => `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;

/** @param packages of bundledPackages. @returns CycloneDX 1.6 as JSON text */
export async function billOfMaterials(packages) {
  const { name, version, license, description } = JSON.parse(await readFile("package.json", "utf8"));
  const ebb = component(Enums.ComponentType.Application, { name, version, license });
  ebb.description = description;
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: ebb }) });
  for (const one of packages) {
    const library = component(Enums.ComponentType.Library, one);
    for (const bundle of one.bundles) library.properties.add(new Models.Property("ebb:bundle", `dist/${bundle}`));
    bom.components.add(library);
    ebb.dependencies.add(library.bomRef);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function component(type, { name, version, license }) {
  const [scope, plain] = name.startsWith("@") ? name.split("/") : [undefined, name];
  const purl = purlOf({ name, version });
  return new Models.Component(type, plain, {
    ...(scope && { group: scope }),
    version,
    purl,
    bomRef: purl,
    licenses: new Models.LicenseRepository([licenceOf(license)]),
  });
}

/** "MIT", or an expression of several: "(Apache-2.0 AND BSD-3-Clause)". */
function licenceOf(spdx) {
  return spdx.includes(" ") ? new Models.LicenseExpression(spdx) : new Models.SpdxLicense(spdx);
}
