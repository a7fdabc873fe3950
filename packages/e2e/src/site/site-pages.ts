/** A public page of each layout: title and address. */
export const sitePages = [
  ['One API key for every model. Budgets that hold.', '/'],
  ['Pricing', '/pricing'],
  ['Models and prices', '/models'],
  ['gpt-6.2-sol', '/models/gpt-6.2-sol'],
  ['openai/gpt-oss-120b', '/models/openai/gpt-oss-120b'],
  ['Quickstart', '/docs'],
  ['key_budget_exceeded', '/docs/errors/key_budget_exceeded'],
  ['API reference', '/docs/api'],
  ['Create a chat completion', '/docs/api/models/createChatCompletion'],
  ['Where your requests go', '/providers'],
  ['Status', '/status'],
  ['Page not found', '/nowhere']
] as const
