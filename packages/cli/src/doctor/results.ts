import { stripVTControlCharacters, styleText } from 'node:util'

/** The parts of a check, in the order of the report. */
export const parts = [
  'settings',
  'files',
  'PostgreSQL',
  'Redis',
  'Supabase',
  'Stripe',
  'mail',
  'upstreams',
  'addresses',
  'traces',
  'receipts',
  'clocks'
] as const

export type Part = (typeof parts)[number]

/** Something that is right, or that could not be checked. */
export interface Note {
  readonly part: Part
  readonly severity: 'ok' | 'skipped'
  readonly what: string
}

/** Something that is wrong. Sentences for people; `code` is for programs and stays the same. */
export interface Finding {
  readonly part: Part
  /** `error`: customers notice it, or a service does not start. `warning`: it may cause damage later. */
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly what: string
  readonly why: string
  /** What to type or click. */
  readonly fix: string
}

export type Result = Note | Finding

/** The sentences of a finding. */
export type Explanation = Pick<Finding, 'what' | 'why' | 'fix'>

const isFinding = (result: Result): result is Finding => 'code' in result

/** Makes results of one part. */
export function resultsOf(part: Part) {
  return {
    ok: (what: string): Note => ({ part, severity: 'ok', what }),
    skipped: (what: string): Note => ({ part, severity: 'skipped', what }),
    error: (code: string, explanation: Explanation): Finding => ({ part, severity: 'error', code, ...explanation }),
    warning: (code: string, explanation: Explanation): Finding => ({ part, severity: 'warning', code, ...explanation })
  }
}

/** A clock, and how far it is ahead of this machine's, ms. */
export interface Clock {
  readonly name: string
  readonly skewMs: number
}

/** What the check of one part found, and the clock that it has seen. */
export interface Checked {
  readonly results: readonly Result[]
  readonly clock?: Clock | null
}

export const skip = (part: Part, ...names: string[]): Checked => ({
  results: [resultsOf(part).skipped(`Not checked. First correct ${names.join(' and ')}.`)]
})

/** `1 model`, `3 models`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

/** Shorter values would also hide parts of ordinary words. */
const minLength = 8

const shownLength = 4
const secretName = /(KEY|SECRET|PASSWORD|TOKEN|CREDENTIAL)/

/**
 * Lists the values that nobody may see: of variables whose names say so, of credentials, and the passwords of URLs.
 *
 * @param credentialNames further variables with credentials
 */
export function listSecrets(
  env: Readonly<Record<string, string | undefined>>,
  credentialNames: readonly string[]
): string[] {
  const secrets = new Set<string>()
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue
    if (secretName.test(name) || credentialNames.includes(name))
      for (const part of value.split(',')) secrets.add(part.trim())
    for (const password of passwordsOf(value)) secrets.add(password)
  }
  return [...secrets].filter((secret) => secret.length >= minLength).toSorted((a, b) => b.length - a.length)
}

/** Passwords in the user part and in parameters of a URL, as written and decoded. */
function passwordsOf(value: string): string[] {
  const userinfo = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)@/i.exec(value)?.[1]
  const password = userinfo?.includes(':') === true ? userinfo.slice(userinfo.indexOf(':') + 1) : undefined
  const parameters = [...value.matchAll(/[?&](?:[a-z_]*password|api[-_]?key|key|token)=([^&#]+)/gi)].map(
    ([, text]) => text!
  )
  return [...(password === undefined ? [] : [password]), ...parameters].flatMap((text) => [text, decode(text)])
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Replaces secrets, and user parts of any URL, in a text. Of a secret the first four characters remain. Examples in our
 * own texts (`user:password@`) stay.
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const hidden = secrets.reduce((before, secret) => before.replaceAll(secret, mask(secret)), text)
  return hidden.replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)(?!(?:user)?:password@)[^\s/?#@]*@/gi, '$1…@')
}

/** Of a short secret nothing remains. */
const mask = (secret: string): string => (secret.length < 3 * shownLength ? '…' : `${secret.slice(0, shownLength)}…`)

/** {@link hideSecrets} in every text of a result. */
export function withoutSecrets<One extends Result>(result: One, secrets: readonly string[]): One {
  const entries = Object.entries(result).map(([name, value]) => [
    name,
    ['what', 'why', 'fix'].includes(name) ? hideSecrets(String(value), secrets) : value
  ])
  return Object.fromEntries(entries) as One
}

const severityWidth = 9
const colours = { ok: 'green', skipped: 'gray', warning: 'yellow', error: 'red' } as const

interface Counts {
  readonly errors: number
  readonly warnings: number
}

export function countFindings(results: readonly Result[]): Counts {
  const having = (severity: Result['severity']) => results.filter((result) => result.severity === severity).length
  return { errors: having('error'), warnings: having('warning') }
}

/** The report for people. @param isColoured whether to use the colour codes of terminals */
export function printResults(results: readonly Result[], isColoured: boolean): string {
  const partWidth = Math.max(...parts.map((part) => part.length)) + 2
  const indent = ' '.repeat(partWidth + severityWidth)
  const lines = inOrder(results).flatMap((result) => {
    const { part, severity, what } = result
    const label = isColoured
      ? styleText(colours[severity], severity.padEnd(severityWidth), { validateStream: false })
      : severity.padEnd(severityWidth)
    const first = `${part.padEnd(partWidth)}${label}${oneLine(what)}`
    if (!isFinding(result)) return [first]
    return [first, `${indent}Why: ${oneLine(result.why)}`, `${indent}Do:  ${oneLine(result.fix)}`]
  })
  return [...lines, '', summarise(countFindings(results)), ''].join('\n')
}

/** The report for programs. */
export function printJson(results: readonly Result[]): string {
  const { errors, warnings } = countFindings(results)
  return `${JSON.stringify({ ok: errors === 0, errors, warnings, results: inOrder(results) }, null, 2)}\n`
}

function inOrder(results: readonly Result[]): Result[] {
  return parts.flatMap((part) => results.filter((result) => result.part === part))
}

function summarise({ errors, warnings }: Counts): string {
  if (errors === 0 && warnings === 0) return 'No problems found.'
  return `${count(errors, 'error')}, ${count(warnings, 'warning')}.`
}

/** Other servers' texts could otherwise write control codes to the terminal. */
const oneLine = (text: string): string => stripVTControlCharacters(text).replaceAll(/\s*[\r\n]+\s*/g, ' ')
