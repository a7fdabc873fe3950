import type { demoUser } from '../demo-data/add-demo-data.ts'
import type { EmbeddedPart } from '../system/embedded.ts'
import type { Addresses } from '../system/ports.ts'
import { demoOperator } from './demo.ts'

export interface SummaryOptions {
  readonly addresses: Addresses
  readonly embedded: ReadonlySet<EmbeddedPart>
  readonly dataDir: string
  /** A directory from which the `openai` package can be imported. */
  readonly workspaceRoot: string
  /** null if a real identity provider has the users. */
  readonly user: (typeof demoUser & { readonly plan: string }) | null
  /** A chat model of the plan; null if the plan has none. */
  readonly model: string | null
  readonly seconds: number
}

/** Shell commands to copy. They have no empty lines and comments, which some interactive shells do not accept. */
export interface Command {
  readonly title: string
  readonly shell: string
}

const partNames: Readonly<Record<EmbeddedPart, string>> = {
  identity: 'identity server',
  payments: 'payments server',
  postgres: 'Postgres (PGlite)',
  redis: 'Redis',
  models: 'model server'
}

/** The text that `npm start` prints when everything is ready. */
export function describeSystem(options: SummaryOptions): string {
  const { addresses, embedded, dataDir, user } = options
  const rows: Array<[string, string]> = [
    ['Website', addresses.control],
    ['Models', `${addresses.gateway}/v1`]
  ]
  if (addresses.mailbox !== null) rows.push(['Mails', addresses.mailbox])
  if (addresses.payments !== null) rows.push(['Payments', `${addresses.payments} (test card 4242 4242 4242 4242)`])
  if (user !== null) {
    rows.push(['Demo user', `${user.email}, password ${user.password} (plan ${user.plan})`])
    rows.push(['Demo operator', `${demoOperator.email}, same password`])
  }
  rows.push(['Data and logs', dataDir])
  if (embedded.size > 0)
    rows.push([
      'Embedded',
      `${[...embedded].map((part) => partNames[part]).join(', ')}; see .env.example to use real ones`
    ])
  const commands = describeCommands(options)
  return [
    '',
    `Tollgate is ready after ${options.seconds.toFixed(1)} s.`,
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(19)}${value}`),
    '',
    'Copy these commands into another terminal:',
    '',
    ...commands.flatMap(({ title, shell }) => [`  ${title}:`, '', shell, '']),
    'Press Ctrl-C to stop everything.',
    '',
    `Open ${addresses.control} in your browser.`,
    user === null ? 'Create an account, or sign in.' : `Sign in as ${user.email} with the password ${user.password}`,
    ''
  ].join('\n')
}

/** Commands to run one after the other in the same shell. */
export function describeCommands({ addresses, dataDir, workspaceRoot, user, model }: SummaryOptions): Command[] {
  const json = `-H 'content-type: application/json'`
  const cookies = quote(`${dataDir}/demo-cookies`)
  const { email, password } = user ?? { email: 'you@example.com', password: 'your password' }
  const commands: Command[] = []
  if (user === null) {
    commands.push({
      title: 'Sign up (put your own address and password into these commands), then open the link in the mail',
      shell: `curl -sS ${quote(`${addresses.control}/api/auth/register`)} ${json} -d ${quote(JSON.stringify({ email, password, name: 'You' }))}`
    })
  }
  commands.push({
    title: 'Sign in and create a key',
    shell: [
      `curl -sS -c ${cookies} ${quote(`${addresses.control}/api/auth/login`)} ${json} -d ${quote(JSON.stringify({ email, password }))} && echo`,
      `export TOLLGATE_KEY=$(curl -sS -b ${cookies} ${quote(`${addresses.control}/api/keys`)} ${json} -d '{"label":"my first key"}' | sed 's/.*"value":"\\([^"]*\\)".*/\\1/')`,
      // An error, such as a full quota, is no key.
      `case "$TOLLGATE_KEY" in tg_*) echo "$TOLLGATE_KEY" ;; *) echo "No key was created: $TOLLGATE_KEY"; unset TOLLGATE_KEY ;; esac`
    ].join('\n')
  })
  if (model === null) return commands
  const messages = [{ role: 'user', content: 'What does a toll gate do?' }]
  commands.push(
    {
      title: 'Stream a chat',
      shell: `curl -sS -N ${quote(`${addresses.gateway}/v1/chat/completions`)} -H "authorization: Bearer $TOLLGATE_KEY" ${json} -d ${quote(JSON.stringify({ model, stream: true, messages }))}`
    },
    {
      title: 'The same with the openai package',
      shell: [
        `(cd ${quote(workspaceRoot)} && node_modules/.bin/node --input-type=module) <<'END'`,
        `import OpenAI from 'openai'`,
        `const openai = new OpenAI({ baseURL: ${JSON.stringify(`${addresses.gateway}/v1`)}, apiKey: process.env.TOLLGATE_KEY })`,
        `const stream = await openai.chat.completions.create({`,
        `  model: ${JSON.stringify(model)}, stream: true, messages: ${JSON.stringify(messages)}`,
        '})',
        `for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '')`,
        `console.log()`,
        'END'
      ].join('\n')
    }
  )
  return commands
}

/** Quotes `text` as one word of the shell. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

const warning = 40

const levelNames: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal'
}

/**
 * Decides which lines of the programs' logs the terminal shows, and how.
 *
 * The services log JSON lines with a level. Other lines come from outside the log and are always shown. A repeated line
 * of the same program is skipped, because a lost connection is logged several times a second.
 *
 * @param threshold `problems`: warnings and errors only
 * @returns a function that returns the line to show, or null
 */
export function createLineFilter(threshold: 'problems' | 'all'): (part: string, line: string) => string | null {
  const last = new Map<string, string>()
  return (part, line) => {
    const text = describeLine(line, threshold)
    if (text === null || (threshold === 'problems' && last.get(part) === text)) return null
    last.set(part, text)
    return `[${part}] ${text}`
  }
}

function describeLine(line: string, threshold: 'problems' | 'all'): string | null {
  if (line.trim() === '') return null
  const entry = parseEntry(line)
  if (entry === null) return line
  if (threshold === 'problems' && entry.level < warning) return null
  const { level, msg, err } = entry
  const name = levelNames[level] ?? String(level)
  return [name, msg, err?.message].filter((text) => text !== undefined && text !== '').join(': ')
}

interface LogEntry {
  level: number
  msg?: string
  err?: { message?: string }
}

function parseEntry(line: string): LogEntry | null {
  if (!line.startsWith('{')) return null
  try {
    const entry = JSON.parse(line) as LogEntry
    return typeof entry.level === 'number' ? entry : null
  } catch {
    return null
  }
}
