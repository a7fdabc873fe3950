const names: Readonly<Record<string, string>> = {
  alibaba: 'Alibaba',
  amazon: 'Amazon',
  anthropic: 'Anthropic',
  cohere: 'Cohere',
  deepseek: 'DeepSeek',
  google: 'Google',
  groq: 'Groq',
  local: 'Our servers',
  meta: 'Meta',
  microsoft: 'Microsoft',
  mistral: 'Mistral',
  moonshot: 'Moonshot AI',
  nvidia: 'NVIDIA',
  openai: 'OpenAI',
  qwen: 'Qwen',
  xai: 'xAI',
  zhipu: 'Zhipu AI'
}

/**
 * The name that people know of a catalog's `owned_by`: who serves a model, which is not always who made it. Unknown ones
 * are shown as the catalog has them.
 */
export const nameProvider = (ownedBy: string): string =>
  Object.hasOwn(names, ownedBy.toLowerCase()) ? names[ownedBy.toLowerCase()]! : ownedBy

/** The same within a sentence: only names of companies begin with a capital letter there. */
export const nameInSentence = (ownedBy: string): string => {
  const name = nameProvider(ownedBy)
  return name === names.local ? name.toLowerCase() : name
}
