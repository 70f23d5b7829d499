import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

/** One thing that a Role allows. */
export interface Permission {
  readonly role: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly verb: string;
  readonly resourceNames?: readonly string[];
}

export interface Role {
  readonly kind: 'Role' | 'ClusterRole';
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly Rule[];
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** The Roles and ClusterRoles of deploy/manifests: `cluster.yaml` or `one-namespace.yaml`. */
export function shippedRoles(file: string): readonly Role[] {
  const text = readFileSync(new URL(`../../../../../deploy/manifests/${file}`, import.meta.url), 'utf8');
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Role)
    .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');
}

/** What Roles allow, each thing by itself. */
export function permissionsOf(roles: readonly Role[]): readonly Permission[] {
  return roles.flatMap(({ metadata: { name: role }, rules }) =>
    rules.flatMap(({ apiGroups, resources, verbs, resourceNames }) =>
      apiGroups.flatMap((apiGroup) =>
        resources.flatMap((resource) =>
          verbs.map((verb) => ({ role, apiGroup, resource, verb, ...(resourceNames && { resourceNames }) })),
        ),
      ),
    ),
  );
}

/** `update issuers/status` */
export function titleOf({ verb, resource }: Permission): string {
  return `${verb} ${resource}`;
}

/**
 * A ServiceAccount of the namespace `zoneproof` with these Roles, but for one permission, bound as the shipped one is.
 * All its objects are called `name`.
 */
export function identity(name: string, roles: readonly Role[], without?: Permission): readonly object[] {
  const account = { kind: 'ServiceAccount', name, namespace: 'zoneproof' };
  const objects = roles.flatMap((role, index) => {
    const { namespace } = role.metadata;
    const metadata = { name: `${name}-${index}`, ...(namespace && { namespace }) };
    const left = permissionsOf([role]).filter((one) => without === undefined || !isSame(one, without));
    const rules = left.map(({ apiGroup, resource, verb, resourceNames }) => ({
      apiGroups: [apiGroup],
      resources: [resource],
      verbs: [verb],
      ...(resourceNames && { resourceNames }),
    }));
    const roleRef = { apiGroup: rbac, kind: role.kind, name: metadata.name };
    return [
      { apiVersion: `${rbac}/v1`, kind: role.kind, metadata, rules },
      { apiVersion: `${rbac}/v1`, kind: `${role.kind}Binding`, metadata, roleRef, subjects: [account] },
    ];
  });
  return [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'zoneproof' } }, ...objects];
}

const rbac = 'rbac.authorization.k8s.io';

function isSame(one: Permission, other: Permission): boolean {
  return one.role === other.role && one.resource === other.resource && one.verb === other.verb;
}
