import type { ApiAnswer } from '../emulator/index.ts';
import { xml, xmlDocument } from './xml.ts';

const namespaces = {
  route53: 'https://route53.amazonaws.com/doc/2013-04-01/',
  sts: 'https://sts.amazonaws.com/doc/2011-06-15/',
} as const;
export type Service = keyof typeof namespaces;

/** A request that is refused: status, code and words as AWS answers them. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * The body of a refusal, in the form that is seen on the wire (https://github.com/AnalogJ/lexicon/issues/179); that of
 * the API reference for InvalidChangeBatch has a root element of its own and is offered by {@link documentedChangeBatchRefusal}.
 */
export function refusalAnswer(service: Service, { status, code, message }: Refusal, requestId: string): ApiAnswer {
  const type = status >= 500 ? 'Receiver' : 'Sender';
  const error = xml('Error', [xml('Type', type), xml('Code', code), xml('Message', message)]);
  return answer(
    status,
    requestId,
    xmlDocument('ErrorResponse', namespaces[service], [error, xml('RequestId', requestId)]),
  );
}

/** https://docs.aws.amazon.com/Route53/latest/APIReference/API_ChangeResourceRecordSets.html, "Errors" */
export function documentedChangeBatchRefusal(messages: readonly string[], requestId: string): ApiAnswer {
  const list = xml(
    'Messages',
    messages.map((message) => xml('Message', message)),
  );
  const body = xmlDocument('InvalidChangeBatch', namespaces.route53, [list, xml('RequestId', requestId)]);
  return answer(400, requestId, body);
}

export function documentAnswer(
  service: Service,
  name: string,
  content: readonly string[],
  requestId: string,
): ApiAnswer {
  return answer(200, requestId, xmlDocument(name, namespaces[service], content));
}

function answer(status: number, requestId: string, body: string): ApiAnswer {
  return { status, headers: { 'content-type': 'text/xml', 'x-amzn-requestid': requestId }, body };
}
