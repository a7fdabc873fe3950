import { methodsAndPaths, type operations } from '../generated/operations.ts'
import { ApiError, isCode } from './api-error.ts'
import { type RequestInput, sendRequest } from './request.ts'

export type OperationName = keyof typeof methodsAndPaths
/** Operations that create a secret. Their idempotency key makes a repeat safe after a lost response. */
type Repeatable = 'createKey' | 'rotateKey'

type JsonOf<Message> = Message extends { content: { 'application/json': infer Json } } ? Json : null
type Params<Op> = Op extends { parameters: { path: infer Path extends object } } ? { params: Path } : unknown
type Query<Op> = Op extends { parameters: { query?: infer Values } }
  ? [Exclude<Values, undefined>] extends [never]
    ? unknown
    : { query?: Exclude<Values, undefined> }
  : unknown
type Body<Op> = Op extends { requestBody: infer Message }
  ? { body: JsonOf<Message> }
  : Op extends { requestBody?: infer Message }
    ? [Exclude<Message, undefined>] extends [never]
      ? unknown
      : { body?: JsonOf<Exclude<Message, undefined>> }
    : unknown

type Inputs = {
  [Name in OperationName]: Params<operations[Name]> &
    Query<operations[Name]> &
    Body<operations[Name]> &
    (Name extends Repeatable ? { readonly idempotencyKey: string } : unknown)
}
type AnswersByName = {
  [Name in OperationName]: JsonOf<operations[Name]['responses'][keyof operations[Name]['responses']]>
}
/** An interface, so that TypeScript knows what the answers of several names have in common. */
interface Answers extends AnswersByName {}

export type Input<Name extends OperationName> = Inputs[Name]
/** The body of the successful response; null if it has none. */
export type Answer<Name extends OperationName> = Answers[Name]
/** The input can be omitted if the operation needs none. */
export type InputArguments<Name extends OperationName> =
  Record<never, never> extends Input<Name> ? [input?: Input<Name>] : [input: Input<Name>]

/** The router and the pages handle `not_authenticated` from these themselves. */
const sessionChecks: ReadonlySet<OperationName> = new Set(['getUser', 'getAccount'])

const session = { onEnd: async (): Promise<boolean> => false }

/** @param onEnd called when a call fails because the session has ended. If it returns true, the call is repeated. */
export function onSessionEnd(onEnd: () => Promise<boolean>): void {
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
  const [method, path] = methodsAndPaths[name]
  const once = async () => (await sendRequest(method, path, input, signal)) as Answer<Name>
  // This call is the confirmation itself.
  const attempt = name === 'reauthenticate' ? once : () => withConfirmation(once)
  try {
    return await attempt()
  } catch (error) {
    if (!isCode(error, 'not_authenticated') || sessionChecks.has(name) || !(await session.onEnd())) throw error
    return attempt()
  }
}

const confirmation = { ask: async (): Promise<boolean> => false }

/** @param ask asks the person for their password. It resolves with false if they decline. */
export function onConfirmationNeeded(ask: () => Promise<boolean>): void {
  confirmation.ask = ask
}

/**
 * Sends a call. If the API first wants the person to confirm that it is them, it asks for the password, and sends the
 * call again.
 *
 * @throws ApiError
 */
export async function withConfirmation<Result>(send: () => Promise<Result>): Promise<Result> {
  try {
    return await send()
  } catch (error) {
    if (!isCode(error, 'confirmation_required')) throw error
    if (await confirmation.ask()) return send()
    throw new ApiError(error.status, error.code, 'Nothing was changed. It needs your password.')
  }
}

const page: { refetch: () => void } = { refetch: () => {} }

/** @param refetch fetches the data on the page again. The sign-in pages have none. */
export function onRefetchShown(refetch: () => void): void {
  page.refetch = refetch
}

/** Fetches the data on the page again. Forms call this without the library that caches the data. */
export const refetchShown = (): void => page.refetch()
