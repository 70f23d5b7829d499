/** cert-manager's kinds as far as the API server has to know them: everything in them is kept as it is. */
export const certManagerCrds: readonly object[] = [
  crd('Issuer', 'issuers', 'Namespaced'),
  crd('ClusterIssuer', 'clusterissuers', 'Cluster'),
  crd('Certificate', 'certificates', 'Namespaced'),
];

function crd(kind: string, plural: string, scope: 'Namespaced' | 'Cluster'): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.cert-manager.io` },
    spec: {
      group: 'cert-manager.io',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope,
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}
