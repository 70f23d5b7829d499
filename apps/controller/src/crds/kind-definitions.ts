import {
  certificateSpecSchema,
  certificateStatusSchema,
  clusterIssuerSpecSchema,
  issuerSpecSchema,
  issuerStatusSchema,
  orderSpecSchema,
  orderStatusSchema,
} from '../resources/index.ts';
import type { WithStatus } from '../store/store.ts';
import { certificateRules } from './rules/certificate.ts';
import { clusterIssuerRules, issuerRules } from './rules/issuer.ts';
import { orderRules } from './rules/order.ts';
import type { ValidationRule } from './structural.ts';

/** What distinguishes the CRD of one kind. */
export interface KindDefinition {
  readonly description: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly shortName: string;
  readonly spec: object;
  readonly status: object;
  readonly rules: Readonly<Record<string, readonly ValidationRule[]>>;
  readonly columns: readonly Column[];
}

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** 1: with `-o wide` only. */
  readonly priority?: 1;
}

const ready: readonly Column[] = [
  {
    name: 'Ready',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].status',
    description: 'True when all is well.',
  },
  {
    name: 'Reason',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
    description: 'A word out of docs/conditions.md.',
  },
];
const message: Column = {
  name: 'Message',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Ready")].message',
  description: 'What is the matter and what to do.',
  priority: 1,
};
const age: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Since when it is there.',
};
const text = (name: string, jsonPath: string, description: string, priority?: 1): Column => ({
  name,
  type: 'string',
  jsonPath,
  description,
  ...(priority && { priority }),
});

const issuerColumns = [
  ...ready,
  text('Providers', '.status.conditions[?(@.type=="ProvidersReady")].status', 'True when each provider is well.'),
  age,
  text('Server', '.spec.acme.server', 'ACME directory.', 1),
  text('Account', '.status.acme.accountURL', 'The account at the CA.', 1),
  message,
];

export const kindDefinitions: Readonly<Record<WithStatus, KindDefinition>> = {
  Issuer: {
    description: 'An ACME account plus a list of named DNS providers, for the Certificates of its namespace.',
    scope: 'Namespaced',
    shortName: 'zpi',
    spec: issuerSpecSchema,
    status: issuerStatusSchema,
    rules: issuerRules,
    columns: issuerColumns,
  },
  ClusterIssuer: {
    description: 'An Issuer for the Certificates of all namespaces.',
    scope: 'Cluster',
    shortName: 'zpci',
    spec: clusterIssuerSpecSchema,
    status: issuerStatusSchema,
    rules: clusterIssuerRules,
    columns: issuerColumns,
  },
  Certificate: {
    description: 'A certificate that is kept issued and renewed, in a Secret.',
    scope: 'Namespaced',
    shortName: 'zpc',
    spec: certificateSpecSchema,
    status: certificateStatusSchema,
    rules: certificateRules,
    columns: [
      ...ready,
      // Not of type date: kubectl shows those as ages, and instants to come as <invalid>.
      text('Not After', '.status.notAfter', 'End of validity.'),
      text('Renewal', '.status.renewalTime', 'When it is renewed.'),
      age,
      text('Secret', '.spec.secretName', 'Where key and chain are.', 1),
      text('Issuer', '.spec.issuerRef.name', 'Who issues.', 1),
      message,
    ],
  },
  Order: {
    description: 'One order at the CA for a Certificate; made by zoneproof.',
    scope: 'Namespaced',
    shortName: 'zpo',
    spec: orderSpecSchema,
    status: orderStatusSchema,
    rules: orderRules,
    columns: [
      ...ready,
      text('CA', '.status.acme.status', "The order's status at the CA."),
      age,
      text('Issuer', '.spec.issuerRef.name', 'Who issues.', 1),
      message,
    ],
  },
};
