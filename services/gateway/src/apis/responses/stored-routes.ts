import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { judgeKey } from '@tollgate/contracts/keys/judge-key.ts'
import type { IdOwner, StoredId } from '@tollgate/state/stored-ids/stored-ids.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { bodyMemoryOf } from '../../admission/body-allowance.ts'
import { confirmKey } from '../../admission/confirm-key.ts'
import { loadedCatalog } from '../../catalog/live-catalog.ts'
import { AnswerBody, waitingBytes } from '../../free-calls/answer-body.ts'
import { streamOnce } from '../../free-calls/call-once.ts'
import { countFreeCall } from '../../free-calls/count-free-call.ts'
import type { OpenRequest } from '../../relay/deadlines.ts'
import { isId } from '../../relay/issued-ids.ts'
import type { InferenceDependencies } from '../../request/dependencies.ts'
import { findSoon } from '../../stored/stored-responses.ts'
import type { OtherRequest } from '../../upstreams/upstream-pool.ts'
import { responsesFormat } from './responses-format.ts'

type Dependencies = Pick<
  InferenceDependencies,
  | 'admission'
  | 'answerRoom'
  | 'catalog'
  | 'deadlines'
  | 'docsUrl'
  | 'slowReaders'
  | 'storedResponses'
  | 'upstreamHealth'
  | 'upstreams'
  | 'useLog'
>

/**
 * What an answer under way takes at most: it waits at the provider's connection, in its body, and at the client's
 * connection.
 */
const answerBytes = 4 * waitingBytes

/** The members of queries that reach the provider. */
const passedQuery = new Set(['include', 'include[]', 'limit', 'order', 'after'])

/**
 * `GET` and `DELETE /v1/responses/:id`, `GET /v1/responses/:id/input_items` and `POST /v1/responses/:id/cancel`, for
 * the key's own responses. They cost nothing.
 */
export function storedResponses(app: FastifyInstance, dependencies: Dependencies): void {
  const route = (method: OtherRequest['method'], end: string) =>
    app.route<{ Params: { id: string } }>({
      method,
      url: `/v1/responses/:id${end}`,
      config: { isFree: true },
      handler: (request, reply) => pass(request, reply, dependencies, { method, end })
    })
  route('GET', '')
  route('DELETE', '')
  route('GET', '/input_items')
  route('POST', '/cancel')
}

/** Passes a call on to the upstream that has the response. */
async function pass(
  request: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
  dependencies: Dependencies,
  { method, end }: { method: OtherRequest['method']; end: string }
): Promise<FastifyReply> {
  const { catalog, docsUrl, slowReaders, storedResponses, upstreams, useLog, answerRoom } = dependencies
  const { redis } = dependencies.admission
  const { id } = request.params
  const known = request.knownKey!
  const view = loadedCatalog(catalog)
  await confirmKey(redis, known, (records) => judgeKey(records, known.digest, request))
  await countFreeCall(redis, known, view)
  useLog.used(known.pointer.key)
  const { pointer } = known
  const stored = isId(id) ? await findOwn(storedResponses, pointer, id) : null
  if (stored === null) throw notFound(id)
  const upstream = upstreams.current.byName.get(stored.upstream)
  if (upstream === undefined) throw new ServiceError('model_unavailable')
  answerRoom.enter(request, reply, known)
  answerRoom.hold(request, reply, known, answerBytes, bodyMemoryOf(known, view))
  const watch = () => slowReaders.watch(reply.raw)
  const call = {
    path: `/responses/${id}${end}`,
    other: { method, query: passedOn(request) },
    requestId: request.id,
    trace: null,
    fields: [],
    body: method === 'POST' ? '{}' : '',
    refusal: responsesFormat.refusal,
    docsUrl,
    renamed: null,
    report: dependencies
  }
  const { status, body } = await streamOnce(upstream, call, watch)
  if (body instanceof AnswerBody) endInTime(body, request, dependencies)
  if (status === 404) throw notFound(id)
  if (method === 'DELETE' && status === 200) await forget(storedResponses, pointer.account, id, body)
  return reply.code(status).header('x-request-id', request.id).type('application/json').send(body)
}

/** Forgets a deleted response. Its provider need not answer further if that fails. */
async function forget(
  storedResponses: Dependencies['storedResponses'],
  account: string,
  id: string,
  body: unknown
): Promise<void> {
  try {
    await storedResponses.forget(account, id)
  } catch (error) {
    if (body instanceof AnswerBody) body.destroy()
    unavailable(error)
  }
}

/** Ends an answer that takes too long, or whose key loses its open requests. */
function endInTime(body: AnswerBody, request: FastifyRequest, { deadlines }: Pick<Dependencies, 'deadlines'>): void {
  const open: OpenRequest = {
    beganAt: request.startedAt,
    key: request.knownKey,
    expire: () => void body.destroy(new ServiceError('upstream_timeout')),
    cut: (failure) => void body.destroy(failure),
    earlier: null,
    later: null
  }
  deadlines.add(open)
  body.once('close', () => deadlines.remove(open))
}

async function findOwn(
  storedResponses: Dependencies['storedResponses'],
  owner: IdOwner,
  id: string
): Promise<StoredId | null> {
  const find = (ids: readonly string[]) => storedResponses.find(owner, ids)
  const [stored = null] = await findSoon(find, [id], new Set([id])).catch(unavailable)
  return stored
}

/** @throws ServiceError invalid_request */
function passedOn({ query }: FastifyRequest): string {
  const passed = new URLSearchParams()
  for (const [name, value] of Object.entries(query as Record<string, string | string[]>)) {
    if (name === 'stream' && value === 'false') continue
    if (!passedQuery.has(name))
      throw new ServiceError('invalid_request', { message: `${name.slice(0, 100)}: not supported here. Remove it.` })
    for (const one of [value].flat()) passed.append(name, one)
  }
  return passed.toString()
}

function unavailable(cause: unknown): never {
  throw new ServiceError('state_unavailable', { cause })
}

const notFound = (id: string) =>
  new ServiceError('response_not_found', { message: `Response with id '${id.slice(0, 100)}' not found.` })
