/** The answer to a request, read to its end. */
export type Answer = {
  status: number
  headers: Headers
  text: string
  /** Of the failure; null for success. */
  error: ({ code: string; message: string } & Record<string, unknown>) | null
}

export type AskOptions = { path?: string; signal?: AbortSignal }

/** Sends a body to a gateway. @throws if the connection breaks or the signal ends it */
export async function ask(gateway: string, secret: string, body: object, options: AskOptions = {}): Promise<Answer> {
  const response = await send(gateway, secret, body, options)
  const text = await response.text()
  const { status, headers } = response
  return { status, headers, text, error: status === 200 ? null : JSON.parse(text).error }
}

/** The same, resolved when the head of the answer is there. */
export function send(
  gateway: string,
  secret: string,
  body: object,
  { path = '/chat/completions', signal }: AskOptions = {}
): Promise<Response> {
  return fetch(`${gateway}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal })
  })
}

/** Reads an answer until its text matches, or to its end, and hangs up. */
export async function hangUpAt(response: Response, marker: RegExp): Promise<void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!marker.test(text)) {
    const { done, value } = await reader.read()
    if (done) return
    text += value
  }
  await reader.cancel()
}

/** Reads so many parts of an answer, and hangs up. */
export async function hangUpAfter(response: Response, parts: number): Promise<void> {
  const reader = response.body!.getReader()
  for (let read = 0; read < parts; read++) if ((await reader.read()).done) return
  await reader.cancel()
}
