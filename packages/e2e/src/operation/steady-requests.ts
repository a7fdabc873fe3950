import { once } from 'node:events'
import { request } from 'node:http'
import { sendSteadily } from '../chaos/traffic/send-steadily.ts'
import type { Person } from '../person.ts'
import type { OperatedSystem } from './start-operated-system.ts'

const timeoutMs = 60_000

const chatsPerSecond = 10
const callsPerSecond = 3

/** Traffic through a load balancer, to all gateways and all replicas of control. */
export interface SteadyRequests {
  /** Outcomes other than success, with their service. */
  readonly failures: readonly string[]
  served(): { readonly chats: number; readonly calls: number }
  /** Waits until so many more chats and calls were answered. */
  more(chats: number): Promise<void>
  stop(): Promise<void>
}

/**
 * Sends chats with a key, streamed and not, and lists the keys of a signed-in person.
 *
 * @param keys secrets to use in turn; the caller may replace them
 * @param person null: only chats
 */
export function startSteadyRequests(
  { system: { addresses } }: Pick<OperatedSystem, 'system'>,
  keys: () => readonly string[],
  person: Pick<Person, 'cookie'> | null,
  model = 'gpt-4o-mini'
): SteadyRequests {
  const failures: string[] = []
  const served = { chats: 0, calls: 0 }
  let waiting: Array<() => void> = []
  const note = (what: 'chats' | 'calls', problem: string | null) => {
    if (problem === null) served[what]++
    else failures.push(problem)
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }
  const loops = [
    sendSteadily(chatsPerSecond, async (number) => {
      const secrets = keys()
      const body = {
        model,
        stream: number % 2 === 0,
        max_tokens: 20,
        messages: [{ role: 'user', content: 'Say 5 words.' }]
      }
      const request = {
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { authorization: `Bearer ${secrets[number % secrets.length]}`, 'content-type': 'application/json' },
        body: JSON.stringify(body)
      }
      note('chats', await problemOf('gateway', balancedFetch(addresses.gateways, number, request), body.stream))
    })
  ]
  if (person !== null) {
    const request = { method: 'GET', path: '/api/keys', headers: { cookie: person.cookie ?? '' } }
    const call = async (number: number) =>
      note('calls', await problemOf('control', balancedFetch(addresses.controls, number, request), false))
    loops.push(sendSteadily(callsPerSecond, call))
  }
  return {
    failures,
    served: () => ({ ...served }),
    async more(chats) {
      const enough = served.chats + chats
      while (served.chats < enough && failures.length === 0) await new Promise<void>((wake) => waiting.push(wake))
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    }
  }
}

async function problemOf(
  service: string,
  answer: ReturnType<typeof balancedFetch>,
  isStream: boolean
): Promise<string | null> {
  try {
    const { status, text } = await answer
    if (status !== 200) return `${service}: ${status} ${text.slice(0, 200)}`
    return isStream && !text.endsWith('data: [DONE]\n\n') ? `${service}: an incomplete stream` : null
  } catch (error) {
    return `${service}: ${error instanceof Error ? error.message : String(error)}`
  }
}

interface BalancedAnswer {
  readonly status: number
  readonly text: string
}

interface BalancedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * Sends a request to the next server if one cannot be reached, breaks off before it answers, or answers 503. Each
 * request has its own connection.
 *
 * @param from the server to begin with
 * @returns the answer of the last server that answered
 * @throws Error if none answered, or if an answer broke off
 */
export async function balancedFetch(
  servers: readonly string[],
  from: number,
  wanted: BalancedRequest
): Promise<BalancedAnswer> {
  let last: BalancedAnswer | null = null
  let failure: unknown = null
  for (let tried = 0; tried < servers.length; tried++) {
    const response = await begin(servers[(from + tried) % servers.length]!, wanted).catch((error) => {
      failure = error
      return null
    })
    if (response === null) continue
    let text = ''
    response.setEncoding('utf8')
    for await (const part of response) text += part
    last = { status: response.statusCode ?? 0, text }
    if (last.status !== 503) return last
  }
  if (last === null) throw failure
  return last
}

async function begin(server: string, { method, path, headers, body }: BalancedRequest) {
  const sent = request(new URL(path, server), { method, headers, agent: false, timeout: timeoutMs })
  sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)))
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
  return response
}
