#!/usr/bin/env node
process.exitCode = await (await import('./main.ts')).main(process.argv.slice(2));
