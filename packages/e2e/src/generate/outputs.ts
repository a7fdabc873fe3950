import { readFileSync } from 'node:fs'
import { listMailFiles } from '@tollgate/cli/mails/mails-command.ts'
import { describeAllSettings } from '@tollgate/cli/settings/describe-settings.ts'
import { commandTable, describeCommands } from '@tollgate/cli/tollgate/commands.ts'
import { type DescribedEvent, describeEvents } from '@tollgate/contracts/events/describe-events.ts'
import { accountEvents, operatorEvents } from '@tollgate/contracts/events/event-types.ts'
import { describeSchema } from '@tollgate/contracts/openapi/document.ts'
import { builtInBrand } from '@tollgate/service/brand/brand.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { type ClientAccess, namesOf } from '../clients/client-access.ts'
import { type Client, clients } from '../clients/clients.ts'
import { describeMetrics, documentedMetrics } from '../docs/documented-metrics.ts'
import { writeDocument } from '../wrong-settings/document.ts'

const columns = ['answer', 'stream', 'tools', 'structured output'] as const

const describeEvent = ({ type, description, data }: DescribedEvent): string[] => [
  ...[`### \`${type}\``, '', description, '', '```', describeSchema(data), '```', '']
]

/** A committed file that `npm run generate` writes. */
export interface Output {
  /** From the root of the workspace. */
  readonly path: string
  /** The only system that generates the right text. Default: every system does. */
  readonly platform?: NodeJS.Platform
  generate(): string
}

const read = (path: string): string => readFileSync(workspaceFile(path), 'utf8')

/** Stands before the generated part of a document. */
const mark = '<!-- From here on, this is generated: npm run generate -->\n'

/** A document that somebody wrote up to the mark. */
const after = (path: string, describe: () => string) => ({
  path,
  generate: () => `${read(path).split(mark)[0]}${mark}\n${describe()}`
})

export const outputs: readonly Output[] = [
  after('docs/clients.md', describeClients),
  after('docs/webhooks.md', describeAllEvents),
  after('docs/operate/settings.md', describeAllSettings),
  after('docs/operate/tollgate-command.md', () => describeCommands(commandTable)),
  // Other systems have fewer metrics of the process.
  { ...after('docs/operate/metrics.md', () => describeMetrics(documentedMetrics())), platform: 'linux' },
  { path: 'docs/operate/wrong-settings.md', generate: writeDocument },
  // Those of the built-in brand, whatever the environment says.
  ...listMailFiles(builtInBrand).map(({ file, html }) => ({ path: `deploy/supabase/${file}`, generate: () => html })),
  // Kustomize reads no files above its own folder.
  { path: 'deploy/kubernetes/base/catalog.yaml', generate: () => read('deploy/catalog.yaml') }
]

/** The lists of events in docs/webhooks.md. */
function describeAllEvents(): string {
  return [
    ...['## All events of an account', '', ...describeEvents(accountEvents).flatMap(describeEvent)],
    ...['## All events of operators', '', ...describeEvents(operatorEvents).flatMap(describeEvent)]
  ].join('\n')
}

/** The part of docs/clients.md that comes from the clients' tests, without running one. */
function describeClients(): string {
  const rows = clients.map((client) => {
    const features = featuresOf(client)
    const others = [...features].filter((feature) => !columns.some((column) => column === feature))
    const notes = [...others, ...(client.note === undefined ? [] : [client.note])]
    const names = client.packages.map((name) => `\`${name}\``).join(' with ')
    const cells = columns.map((column) => (features.has(column) ? 'yes' : '–'))
    return [`\`${client.endpoint.replaceAll(', ', '`, `')}\``, names, versionsOf(client), ...cells, notes.join('; ')]
  })
  return `${tableOf([['endpoint', 'client', 'version', ...columns, 'other'], ...rows])}\n`
}

/** A Markdown table with aligned columns, as the formatter writes it. */
function tableOf(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`)
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

/** What the client's tests show. They are registered, and none runs. */
function featuresOf({ id, run }: Client): Set<string> {
  const features = new Set<string>()
  const address = 'http://127.0.0.1:9'
  const access = { baseURL: `${address}/v1`, origin: address, apiKey: 'tg_none', freeApiKey: 'tg_none', ...namesOf(id) }
  run(
    {
      test(names) {
        for (const feature of names) features.add(feature)
      }
    },
    access as ClientAccess
  )
  return features
}

function versionsOf({ packages, version }: Client): string {
  if (version !== 'newest' && version !== 'previous') return version
  const folder = version === 'newest' ? 'e2e' : 'previous-clients'
  const { devDependencies } = JSON.parse(readFileSync(workspaceFile(`packages/${folder}/package.json`), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  return packages.map((name) => devDependencies[name]).join(' with ')
}
