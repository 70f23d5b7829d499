/** Tests resolve workspace packages to their sources, so no build is needed before `npm test`. */
export default {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@zoneproof/source', 'node'] },
  roots: ['<rootDir>/packages', '<rootDir>/apps', '<rootDir>/examples', '<rootDir>/tools', '<rootDir>/bench'],
  testMatch: ['**/src/**/*.test.ts', '**/tools/*/*.test.mjs'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { module: { type: 'es6' }, jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } } },
    ],
  },
  // Modules of the VM are not given back between test files: a worker that has grown is replaced.
  maxWorkers: 2,
  workerIdleMemoryLimit: '700MB',
  // Of a test that hangs. Machines that are shared are ten times slower at times.
  testTimeout: 30_000,
  modulePathIgnorePatterns: ['/dist/'],
};
