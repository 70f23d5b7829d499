export { discoverProviders, type InstalledProvider } from './installed.ts';
export { issuerExample } from './issuer-example.ts';
export { nearestName } from './nearest-name.ts';
export {
  type DocsSection,
  docsSectionOf,
  docsSections,
  errorsTable,
  fieldsTable,
  orderedErrors,
  orderedPermissions,
  permissionsTable,
  providerDocs,
  withProviderDocs,
} from './provider-docs.ts';
export { createRegistry, type ProviderRegistry, type RegistryOptions } from './registry.ts';
export { RegistryError, type RegistryErrorKind } from './registry-error.ts';
export { pathText, type SchemaProblem, schemaProblems } from './schema-problems.ts';
