import { AcmeProblem, type Problem as ProblemDocument } from '@zoneproof/acme';
import { KubeApiError } from '../kubernetes/api-error.ts';
import { toProblem } from './problem.ts';

const refused = (type: string, disposition: ProblemDocument['disposition'], httpStatus: number): AcmeProblem =>
  new AcmeProblem({ type, detail: 'no', subproblems: [], disposition }, { httpStatus });

test.each([
  ['a nonce refused to the end', refused('badNonce', 'retry', 400), 'CAUnavailable', 'retry'],
  ['a fault of the CA', refused('serverInternal', 'retry', 500), 'CAUnavailable', 'retry'],
  ['a name that is refused', refused('rejectedIdentifier', 'fix-spec', 400), 'NameRejected', 'final'],
  [
    'a full disk',
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
    'StateNotWritable',
    'retry',
  ],
  [
    'a write that the API server refuses',
    new KubeApiError({ status: 403, reason: 'Forbidden', message: 'The API server answered with 403' }),
    'StateNotWritable',
    'retry',
  ],
  ['anything unforeseen', new TypeError('x is undefined'), 'InternalError', 'retry'],
])('%s', (_title, error, reason, cure) => {
  expect(toProblem(error, 0)).toMatchObject({ reason, cure });
});
