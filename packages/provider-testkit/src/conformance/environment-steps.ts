import { strict as assert } from 'node:assert';
import { rm } from 'node:fs/promises';
import type { DnsName } from '@zoneproof/dns';
import { hostileEnvironment, mark } from './hostile-environment.ts';
import type { Lab } from './lab.ts';
import { shown } from './outcomes.ts';
import type { Step } from './step.ts';

export const environmentSteps: readonly Step[] = [
  {
    id: 'E7',
    title: 'nothing is taken from the environment: hostile variables leave no trace in any request',
    async run(lab) {
      const { variables, directory } = await hostileEnvironment();
      const before = new Map(Object.keys(variables).map((name) => [name, process.env[name]]));
      Object.assign(process.env, variables);
      try {
        const written = await writeAndCheck(lab).finally(() => {
          for (const { what, text } of lab.traffic.seen)
            assert.ok(!readings(text).includes(mark), `a variable of the environment went out with ${what}`);
        });
        const { values } = await lab.fixture.observe(written.name);
        assert.ok(values.includes(written.value), `values at ${written.name}: ${values.join(', ')}`);
      } finally {
        for (const [name, value] of before) {
          if (value === undefined) delete process.env[name];
          else process.env[name] = value;
        }
        await rm(directory, { recursive: true });
      }
    },
  },
];

async function writeAndCheck(lab: Lab): Promise<{ readonly name: DnsName; readonly value: string }> {
  const failed = (what: string): never => assert.fail(`nothing works among hostile variables: ${what}`);
  const { name, zone, instance } = await lab.prepare().catch((error: Error) => failed(error.message));
  const value = lab.value();
  const outcomes = await instance.tryApply(zone, lab.changes(['present', name, value]));
  if (!outcomes.every(({ status }) => status === 'changed')) failed(shown(outcomes));
  for (const { result, detail } of await instance.check()) if (result === 'failed') failed(detail);
  return { name, value };
}

/** A request's text in small letters, and what its base64 parts say: Basic authorization, the claims of a JWT. */
function readings(text: string): string {
  const encoded = text.match(/[A-Za-z0-9+/_-]{12,}/g) ?? [];
  const decoded = encoded.map((part) => Buffer.from(part, 'base64').toString('latin1'));
  return [text, decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25')), ...decoded].join('\n').toLowerCase();
}
