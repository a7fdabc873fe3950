/** What the error of a provider must not tell a client. */
export interface Hidden {
  /** The credential; null for none. */
  readonly secret: string | null
  /** The upstreams' names of the model, and the client's; null if they are the same, or if the call has no model. */
  readonly renamed: RenamedModel | null
  /** The host of the upstream's API; absent for none. */
  readonly host?: string
}

export interface RenamedModel {
  readonly from: readonly string[]
  readonly to: string
}

/** @param route all targets of the model: an upstream may name the others, too @param model the client's name */
export function renamedModel(route: ReadonlyArray<{ readonly model: string }>, model: string): RenamedModel | null {
  const from = [...new Set(route.map((target) => target.model))].filter((name) => name !== model)
  return from.length === 0 ? null : { from, to: model }
}

/**
 * Ids of the operator's account: organisations and projects of OpenAI and Groq, ARNs of AWS, projects of Google Cloud,
 * and hosts of resources at Azure.
 */
const accountIds =
  /\b(?:org[-_][A-Za-z0-9]{6,64}|proj_[A-Za-z0-9]{6,64}|arn:aws[\w-]{0,20}:[\w:/.*-]{1,300}|projects\/[\w-]{1,64}|[\w-]{1,64}\.(?:openai|cognitiveservices|services\.ai)\.azure\.com)/gi
const hiddenId = '[hidden]'

/**
 * Writes an error as JSON. Its texts have the client's name of the model instead of the upstream's, and no ids of the
 * operator's account.
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

function concealed(text: string, { renamed, host }: Hidden): string {
  const hidden = host === undefined ? text : hideAddresses(text, host)
  const named =
    renamed === null ? hidden : renamed.from.reduce((now, from) => renameModel(now, from, renamed.to), hidden)
  return named.replace(accountIds, hiddenId)
}

/** Words, so also an address without its scheme, such as that of a connection that was refused. */
const words = /[^\s"'`<>()[\]]+/g

/** The operator's base URL may have a secret in its query. */
const hideAddresses = (text: string, host: string): string =>
  lowerCase(text).includes(host)
    ? text.replace(words, (word) => (lowerCase(word).includes(host) ? hiddenId : word))
    : text

/** Of ASCII only, so that no index changes. */
const lowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/**
 * What a name of a model may have besides letters and digits. A longer name with the searched one in it is replaced as
 * a whole.
 */
const [before, after] = [/[\w./@-]/, /[\w./@:-]/]
const alphanumeric = /[A-Za-z0-9]/

/** Upper and lower case are the same. */
function renameModel(text: string, from: string, to: string): string {
  const [searched, name] = [lowerCase(text), lowerCase(from)]
  let result = ''
  let done = 0
  for (let at = searched.indexOf(name); at >= 0; at = searched.indexOf(name, at)) {
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
