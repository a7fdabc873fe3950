import type { FastifyInstance, InjectOptions } from 'fastify'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  /** Parsed JSON, or the text of another type. */
  body: unknown
  /** Every `Set-Cookie`. */
  cookies: string[]
}

/** The code of a failed answer. */
export const codeOf = ({ body }: Answer): string => (body as { error: { code: string } }).error.code

export interface CallOptions {
  body?: unknown
  cookie?: string
  origin?: string
  headers?: Record<string, string>
}

/** Sends a request to `/path`; a body is sent as JSON. */
export type Call = (
  method: NonNullable<InjectOptions['method']>,
  path: string,
  options?: CallOptions
) => Promise<Answer>

/** Sends requests to a control that need not listen. */
export function createCall(app: FastifyInstance): Call {
  return async (method, path, { body, cookie, origin, headers = {} } = {}) => {
    const response = await app.inject({
      method,
      url: path,
      headers: {
        ...(cookie !== undefined && { cookie }),
        ...(origin !== undefined && { origin }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers
      },
      ...(body !== undefined && { payload: JSON.stringify(body) })
    })
    return {
      status: response.statusCode,
      headers: response.headers,
      body: /[/+]json/.test(String(response.headers['content-type'])) ? response.json() : response.body,
      cookies: [response.headers['set-cookie'] ?? []].flat()
    }
  }
}

/** @throws Error with the answer if it has another status */
export async function expectStatus(answering: Promise<Answer>, status: number): Promise<Answer> {
  const answer = await answering
  if (answer.status !== status) throw new Error(`expected ${status}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer
}
