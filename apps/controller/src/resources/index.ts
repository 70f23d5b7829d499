export { certificateSpecSchema, orderSpecSchema } from './certificate-schema.ts';
export { certificateStatusSchema } from './certificate-status-schema.ts';
export { allowanceFields, clusterIssuerSpecSchema, issuerSpecSchema, providerSchema } from './issuer-schema.ts';
export { issuerStatusSchema } from './issuer-status-schema.ts';
export { defaultNamespace, objectTitle, secretNamespace } from './names.ts';
export { orderStatusSchema } from './order-status-schema.ts';
export { secretSchema } from './secret-schema.ts';
export * from './types.ts';
