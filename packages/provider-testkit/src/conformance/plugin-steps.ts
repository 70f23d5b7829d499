import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isProviderPlugin, schemaProblems } from '@zoneproof/core';
import { secretTexts } from './error-steps.ts';
import type { Step } from './step.ts';

export const pluginSteps: readonly Step[] = [
  {
    id: 'P1',
    title: 'the key is that of the package, and the example is a block that works',
    async run({ plugin, packageDir, fixture }) {
      const text = await readFile(join(packageDir, 'package.json'), 'utf8');
      const { zoneproof } = JSON.parse(text) as { readonly zoneproof?: unknown };
      assert.deepEqual(zoneproof, { provider: plugin.key, apiVersion: 1 }, 'the marker "zoneproof" in package.json');
      assert.ok(isProviderPlugin(plugin), 'the plugin is not made with defineProvider');
      assert.deepEqual(schemaProblems(plugin.schema, plugin.example), [], 'the example against the schema');
      assert.deepEqual(schemaProblems(plugin.schema, fixture.config), [], "the fixture's block against the schema");
      assert.deepEqual(plugin.problems?.(plugin.example) ?? [], [], 'problems of the example');
    },
  },
  {
    id: 'P2',
    title: 'the account is stable, holds no secret, and asking for it sends nothing',
    async run(lab) {
      const { plugin, fixture, traffic } = lab;
      const config = fixture.config as Parameters<typeof plugin.account>[0];
      const account = plugin.account(config, 'default');
      assert.notEqual(account, '', 'an empty account');
      assert.equal(
        plugin.account(reordered(config), 'default'),
        account,
        'the account of the same block in another order',
      );
      for (const secret of secretTexts(lab)) assert.ok(!account.includes(secret), 'the account holds a secret');
      lab.start();
      assert.equal(traffic.requests, 0, 'requests of account() and create()');
    },
  },
];

function reordered<T extends object>(config: T): T {
  return Object.fromEntries(Object.entries(structuredClone(config)).reverse()) as T;
}
