// `node zoneproof-once.js NAMESERVER ARGS...`: the command line of zoneproof, with one input that it has no option for:
// 127.0.0.1:53, where the zone's NS record points, is NAMESERVER (address:port).
import { mapTransport, parseServer, systemTransport } from '@zoneproof/dns';
import { main } from 'zoneproof';

const [nameserver, ...argv] = process.argv.slice(2);
if (nameserver === undefined) throw new Error('usage: zoneproof-once NAMESERVER ARGS...');
const transport = mapTransport(systemTransport, new Map([['127.0.0.1:53', parseServer(nameserver)]]));
process.exitCode = await main(argv, { transport });
