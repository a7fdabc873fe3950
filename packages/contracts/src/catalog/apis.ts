interface KindOfModel {
  /** OpenTelemetry's name of the operation, if it has one. */
  readonly operation: string
  /** Whether a call has output that a limit bounds. */
  readonly hasOutput: boolean
  /** The output that a request without a limit gets if the catalog says nothing. */
  readonly defaultOutputTokens: number
  /** Whether providers may count no tokens. Without a price for tokens, those that they do not report are then 0. */
  readonly mayHaveNoTokens?: true
}

/** The kinds of models. */
export const modelKinds = {
  chat: { operation: 'chat', hasOutput: true, defaultOutputTokens: 4096 },
  completion: { operation: 'text_completion', hasOutput: true, defaultOutputTokens: 16 },
  embedding: { operation: 'embeddings', hasOutput: false, defaultOutputTokens: 0 },
  moderation: { operation: 'moderation', hasOutput: false, defaultOutputTokens: 0, mayHaveNoTokens: true }
} as const satisfies Readonly<Record<string, KindOfModel>>

export type ModelKind = keyof typeof modelKinds
export const kindOf = (kind: ModelKind): KindOfModel => modelKinds[kind]
/** All of {@link ModelKind}. */
export const kindNames = Object.keys(modelKinds) as ModelKind[]

/**
 * The APIs that a client calls and an upstream speaks: their paths at the gateway, and the kind of models that they
 * call.
 */
export const apis = {
  chat: { path: '/v1/chat/completions', kind: 'chat' },
  completions: { path: '/v1/completions', kind: 'completion' },
  embeddings: { path: '/v1/embeddings', kind: 'embedding' },
  responses: { path: '/v1/responses', kind: 'chat' },
  messages: { path: '/v1/messages', kind: 'chat' },
  moderations: { path: '/v1/moderations', kind: 'moderation' }
} as const satisfies Readonly<Record<string, { readonly path: string; readonly kind: ModelKind }>>

export type ApiName = keyof typeof apis
/** All of {@link ApiName}, in the order in which errors and lists name them. */
export const apiNames = Object.keys(apis) as ApiName[]

/** The APIs that models of a kind can have. */
export const apisOfKind = (kind: ModelKind): readonly ApiName[] => apiNames.filter((name) => apis[name].kind === kind)
