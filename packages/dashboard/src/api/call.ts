import { isCode } from './api-error.ts'
import { type Operations, paths } from './operations.ts'
import { type RequestInput, sendRequest } from './request.ts'

export type OperationName = keyof Operations
/** Operations that create a secret. Their idempotency key makes a repeat safe after a lost response. */
type Repeatable = 'createKey' | 'rotateKey'
export type Input<Name extends OperationName> = Omit<Operations[Name], 'answer'> &
  (Name extends Repeatable ? { readonly idempotencyKey: string } : unknown)
export type Answer<Name extends OperationName> = Operations[Name]['answer']
/** The input can be omitted if the operation needs none. */
export type InputArguments<Name extends OperationName> =
  Record<never, never> extends Input<Name> ? [input?: Input<Name>] : [input: Input<Name>]

/** The router and the pages handle `not_authenticated` from these themselves. */
const sessionChecks: ReadonlySet<OperationName> = new Set(['getUser', 'getAccount'])

const session: { onEnd: () => void } = { onEnd: () => {} }

/** @param onEnd called when a call fails because the session has ended */
export function onSessionEnd(onEnd: () => void): void {
  session.onEnd = onEnd
}

/**
 * Calls an operation of control's API with the session cookie.
 *
 * @throws ApiError
 */
export async function call<Name extends OperationName>(
  name: Name,
  ...rest: InputArguments<Name>
): Promise<Answer<Name>> {
  return send(name, rest[0] as RequestInput | undefined)
}

/** Like {@link call}, with a signal that aborts the request. */
export async function send<Name extends OperationName>(
  name: Name,
  input: RequestInput = {},
  signal?: AbortSignal
): Promise<Answer<Name>> {
  const [method, path] = paths[name]
  try {
    return (await sendRequest(method, path, input, signal)) as Answer<Name>
  } catch (error) {
    if (isCode(error, 'not_authenticated') && !sessionChecks.has(name)) session.onEnd()
    throw error
  }
}
