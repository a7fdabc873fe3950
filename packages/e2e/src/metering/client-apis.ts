/** How clients of one API send a request and read its answer. */
export interface ClientApi {
  /** Below `/v1`. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The request member that limits the output; null for an API without one. */
  readonly outputLimit: string | null
  /** Matches a stream once it has a word of the model. */
  readonly firstWord: RegExp
  /** Matches a stream once the model has stopped. Its usage comes later. */
  readonly finish: RegExp
  /** Matches a stream that is whole. */
  readonly end: RegExp
}

const chat = {
  path: '/chat/completions',
  headers: {},
  outputLimit: 'max_tokens',
  firstWord: /"content":"[^"]/,
  finish: /"finish_reason":"/,
  end: /data: \[DONE\]\n\n$/
} as const satisfies ClientApi

const responses = {
  path: '/responses',
  headers: {},
  outputLimit: 'max_output_tokens',
  firstWord: /"delta":"[^"]/,
  finish: /"type":"response\.output_text\.done"/,
  end: /"type":"response\.(?:completed|incomplete|failed)"[^\n]*\n\n$/
} as const satisfies ClientApi

/** The APIs of models. Embeddings and compacted conversations have no streams. */
export const clientApis = {
  chat,
  completions: { ...chat, path: '/completions', firstWord: /"text":"[^"]/ },
  embeddings: { ...chat, path: '/embeddings', outputLimit: null },
  responses,
  compact: { ...responses, path: '/responses/compact', outputLimit: null },
  messages: {
    path: '/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    outputLimit: 'max_tokens',
    firstWord: /"text":"[^"]/,
    finish: /"type":"content_block_stop"/,
    end: /"type":"message_stop"\}\n\n$/
  }
} as const satisfies Record<string, ClientApi>

export type ApiName = keyof typeof clientApis

/** Whether a stream ended with a failure that the gateway reports. */
export const reportsFailure = (stream: string): boolean => /"(?:error_)?code":"upstream_/.test(stream)
