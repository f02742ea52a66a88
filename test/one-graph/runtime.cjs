"use strict";
const { join } = require("node:path");
const { default: Runtime } = require("jest-runtime");

/** Evaluated again for each test file: tests register hooks as they load, and a warm function keeps its handler. */
const evaluatedForEach = ["test", "functions"];

/**
 * Evaluates the modules of lib, cli, local and the packages once for all test files of a process, in one realm
 * (environment.cjs). Jest has no option for this, so it relies on fields of Jest's Runtime that have no documentation.
 */
class SharedRuntime extends Runtime {
  constructor(...parts) {
    super(...parts);
    for (const name of ["setMock", "setModuleMock", "markExplicitCjsMock"]) this.mockState[name] = refuse;
  }

  begin(testPath) {
    for (const part of [this.executor, this.esmLoader]) part.testPath = testPath;
    this._testPath = testPath;
    this.testState.state = "loading";
  }

  teardown() {
    this.restoreAllMocks();
    this.testMainModule.reset();
    const { moduleRegistry, internalModuleRegistry } = this.registries;
    const folders = evaluatedForEach.map((folder) => join(this._config.rootDir, folder, "/"));
    drop(moduleRegistry, (path) => folders.some((folder) => path.startsWith(folder)));
    // The tests, hooks and listeners of the file.
    drop(internalModuleRegistry, (path) => path.includes("/jest-circus/"));
    delete this._environment.global[Symbol.for("EVENT_HANDLERS")];
  }
}

function refuse() {
  throw new Error("modules that other test files share have no mocks. Begin with /** @jest-environment node */");
}

function drop(registry, isDropped) {
  for (const path of registry.keys()) if (isDropped(path)) registry.delete(path);
}

let shared;

module.exports = function openRuntime(...parts) {
  const [, environment, , , , , testPath] = parts;
  if (!environment.isShared) return new Runtime(...parts);
  shared ??= new SharedRuntime(...parts);
  shared.begin(testPath);
  return shared;
};
