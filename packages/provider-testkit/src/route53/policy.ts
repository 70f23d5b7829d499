import { Refusal } from './refusal.ts';

/** An identity's policy document. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html */
export interface AccessPolicy {
  readonly Version: string;
  readonly Statement: readonly PolicyStatement[];
}

export interface PolicyStatement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
}

/** What the documentation of DNS01 controllers asks for, and no more: values cannot be read. */
export const writingPolicy: AccessPolicy = policyOf([
  ['route53:GetChange', 'arn:aws:route53:::change/*'],
  ['route53:ChangeResourceRecordSets', 'arn:aws:route53:::hostedzone/*'],
  ['route53:ListHostedZonesByName', '*'],
]);

/** With the right to read the record sets of zones. */
export const readingPolicy: AccessPolicy = {
  ...writingPolicy,
  Statement: [
    ...writingPolicy.Statement,
    { Effect: 'Allow', Action: 'route53:ListResourceRecordSets', Resource: 'arn:aws:route53:::hostedzone/*' },
  ],
};

/** @throws Refusal in the words of IAM, https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html */
export function authorize(policy: AccessPolicy, principal: string, action: string, resource: string): void {
  const allowed = policy.Statement.some(
    (statement) =>
      statement.Effect === 'Allow' &&
      [statement.Action].flat().some((pattern) => matches(pattern.toLowerCase(), action.toLowerCase())) &&
      [statement.Resource].flat().some((pattern) => matches(pattern, resource)),
  );
  if (allowed) return;
  const on = resource === '*' ? '' : ` on resource: ${resource}`;
  throw new Refusal(
    403,
    'AccessDenied',
    `User: ${principal} is not authorized to perform: ${action}${on} because no identity-based policy allows the ${action} action`,
  );
}

function policyOf(grants: readonly (readonly [action: string, resource: string])[]): AccessPolicy {
  return {
    Version: '2012-10-17',
    Statement: grants.map(([Action, Resource]) => ({ Effect: 'Allow', Action, Resource })),
  };
}

function matches(pattern: string, text: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.');
  return new RegExp(`^${expression}$`).test(text);
}
