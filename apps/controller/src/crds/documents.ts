import type { ProviderPlugin, ProviderRegistry } from '@zoneproof/core';
import type { WithStatus } from '../store/store.ts';
import { withList, withRules } from './decorate.ts';
import { kindDefinitions } from './kind-definitions.ts';
import { apiGroup, apiGroupVersion, pluralOf } from './kinds.ts';
import { withBlocks } from './provider-blocks.ts';
import { type StructuralSchema, structural } from './structural.ts';

/**
 * The CustomResourceDefinitions of the four kinds, with the blocks of all installed providers, whose packages are
 * loaded. `warn` is told which fields of a block cannot be described in a CRD, so that the API server takes them as
 * they come.
 *
 * @throws RegistryError when a package cannot be used: a CRD without its block would drop that block from Issuers
 */
export async function crdDocuments(
  registry: ProviderRegistry,
  warn: (sentence: string) => void = () => undefined,
): Promise<readonly object[]> {
  const plugins = await Promise.all(registry.list().map(({ key }) => registry.load(key)));
  const warnings = new Set<string>();
  const kinds = Object.keys(kindDefinitions) as WithStatus[];
  const documents = kinds.map((kind) => document(kind, schemaOf(kind, plugins, warnings)));
  for (const sentence of warnings) warn(sentence);
  return documents;
}

function document(kind: WithStatus, openAPIV3Schema: StructuralSchema): object {
  const { scope, shortName, columns } = kindDefinitions[kind];
  const plural = pluralOf[kind];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${apiGroup}`, labels: { 'app.kubernetes.io/name': 'zoneproof' } },
    spec: {
      group: apiGroup,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
        // Not `all`: kubectl delete all --all would take accounts and certificates with it.
        categories: ['zoneproof'],
      },
      scope,
      versions: [
        {
          name: apiGroupVersion,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema },
        },
      ],
    },
  };
}

function schemaOf(kind: WithStatus, plugins: readonly ProviderPlugin[], warnings: Set<string>): StructuralSchema {
  const { description, spec, status, rules } = kindDefinitions[kind];
  const loose: string[] = [];
  const bare: StructuralSchema = {
    type: 'object',
    description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: `${apiGroup}/${apiGroupVersion}` },
      kind: { type: 'string', description: kind },
      metadata: { type: 'object' },
      spec: structural(spec, loose, 'spec'),
      status: structural(status, loose, 'status'),
    },
  };
  if (loose.length > 0) throw new Error(`${kind}: ${loose.join(', ')} cannot be described in a CRD`);
  const isIssuer = kind === 'Issuer' || kind === 'ClusterIssuer';
  const schema = isIssuer ? withBlocks(bare, plugins, warnings) : bare;
  return withRules(withList(schema, 'status.conditions', 'type'), rules);
}
