export { certificateSpecSchema, orderSpecSchema } from './certificate-schema.ts';
export { allowanceFields, clusterIssuerSpecSchema, issuerSpecSchema, providerSchema } from './issuer-schema.ts';
export { defaultNamespace, objectTitle, secretNamespace } from './names.ts';
export { secretSchema } from './secret-schema.ts';
export * from './types.ts';
