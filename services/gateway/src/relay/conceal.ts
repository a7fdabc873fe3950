/** What the error of a provider must not tell a client. */
export interface Hidden {
  /** The credential; null for none. */
  readonly secret: string | null
  /** The upstream's name of the model, and the client's; null if they are the same, or if the call has no model. */
  readonly renamed: RenamedModel | null
}

export interface RenamedModel {
  readonly from: string
  readonly to: string
}

/** @param target of the call @param model the client's name */
export const renamedModel = (target: { readonly model: string }, model: string): RenamedModel | null =>
  target.model === model ? null : { from: target.model, to: model }

/**
 * Ids of the operator's account: organisations and projects of OpenAI and Groq, ARNs of AWS, projects of Google Cloud, and hosts of
 * resources at Azure.
 */
const accountIds =
  /\b(?:org[-_][A-Za-z0-9]{6,64}|proj_[A-Za-z0-9]{6,64}|arn:aws[\w-]{0,20}:[\w:/.*-]{1,300}|projects\/[\w-]{1,64}|[\w-]{1,64}\.(?:openai|cognitiveservices|services\.ai)\.azure\.com)/g
const hiddenId = '[hidden]'

/**
 * Writes an error as JSON. Its texts have the client's name of the model instead of the upstream's, and no ids of the operator's account.
 *
 * @returns null if that is not possible: it has the credential, or a name as a key, or is nested too deeply
 */
export function concealedJson(error: unknown, hidden: Hidden): string | null {
  let isHidden = true
  const conceal = (_key: string, value: unknown): unknown => {
    if (typeof value === 'string') return concealed(value, hidden)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      isHidden &&= Object.keys(value).every((key) => concealed(key, hidden) === key)
    }
    return value
  }
  try {
    const json = JSON.stringify(error, conceal)
    const { secret } = hidden
    return isHidden && (secret === null || !json.includes(JSON.stringify(secret).slice(1, -1))) ? json : null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function concealed(text: string, { renamed }: Hidden): string {
  const named = renamed === null ? text : renameModel(text, renamed)
  return named.replace(accountIds, hiddenId)
}

/** What a name of a model may have besides letters and digits. A longer name with the searched one in it is replaced as a whole. */
const [before, after] = [/[\w./@-]/, /[\w./@:-]/]
const alphanumeric = /[A-Za-z0-9]/

function renameModel(text: string, { from, to }: RenamedModel): string {
  let result = ''
  let done = 0
  for (let at = text.indexOf(from); at >= 0; at = text.indexOf(from, at)) {
    let [start, end] = [at, at + from.length]
    const isWord = !alphanumeric.test(text[start - 1] ?? '') && !alphanumeric.test(text[end] ?? '')
    at = end
    if (!isWord) continue
    while (start > done && before.test(text[start - 1]!)) start--
    while (end < text.length && after.test(text[end]!)) end++
    // The end of a sentence is not a part of the name.
    while (end > at && !alphanumeric.test(text[end - 1]!)) end--
    result += text.slice(done, start) + to
    done = at = end
  }
  return result + text.slice(done)
}
