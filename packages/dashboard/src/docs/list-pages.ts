/** The pages of the docs, which are pages of control outside the dashboard: address and title. */
export const docsPages = [
  ['/docs', 'Quickstart'],
  ['/docs/features', 'Streaming, tools and images'],
  ['/docs/clients', 'SDKs and coding agents'],
  ['/docs/migrate', 'Move from another API'],
  ['/docs/errors', 'Errors'],
  ['/docs/limits', 'Limits'],
  ['/docs/budgets', 'Budgets'],
  ['/docs/webhooks', 'Webhooks'],
  ['/docs/security', 'Data and security'],
  ['/docs/api', 'API reference']
] as const

/** Whether an address leaves the dashboard, so that the browser loads its page. */
export const isOfDocs = (address: string): address is `/docs${string}` => /^\/docs(\/|$)/.test(address)
