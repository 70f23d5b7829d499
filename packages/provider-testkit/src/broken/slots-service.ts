import { type Egress, type HttpAnswer, type HttpRequest, refuseAllEgress } from '@zoneproof/core';
import type { Fixture } from '../conformance/fixture.ts';
import { json, targetOf } from './memory-service.ts';

/** A service in memory with two slots a name: GET /NAME gives its values, POST /NAME writes over the older one. */
export function startSlotsService(): Fixture {
  const slots = new Map<string, readonly string[]>();
  let count = 0;
  const values = (name: string): readonly string[] => slots.get(name) ?? [];
  const write = (name: string, value: string): void => void slots.set(name, [...values(name), value].slice(-2));

  function answer({ method, url, body }: HttpRequest): HttpAnswer {
    const name = new URL(url).pathname.slice(1);
    if (method === 'POST') write(name, String(body));
    return json(200, values(name));
  }

  const egress: Egress = {
    ...refuseAllEgress(),
    http: (request) => Promise.resolve(answer(request)),
    withCaBundle: () => egress,
  };
  const unlinked = targetOf('unlinked.example.test');
  return {
    config: {},
    secrets: {},
    newTarget: () => Promise.resolve(targetOf(`host${++count}.example.test`)),
    observe: (name) => Promise.resolve({ values: values(name) }),
    plant: (name, value) => Promise.resolve(write(name, value)),
    zones: [
      { target: targetOf('www.example.test'), zone: '_acme-challenge.www.example.test' },
      { target: targetOf('www.other.test'), zone: undefined },
    ],
    personFirst: {
      target: unlinked,
      action: { kind: 'create-cname', name: unlinked.name, target: targetOf('slots.test').name },
    },
    egress,
    close: () => Promise.resolve(),
  };
}
