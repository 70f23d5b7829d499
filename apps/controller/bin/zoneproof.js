#!/usr/bin/env node
// Committed, so that `npm ci` can link the command before anything was built.
import '../dist/cli/bin.js';
