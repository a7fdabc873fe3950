import { readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { type ClientAccess, namesOf } from '../clients/client-access.ts'
import { type Client, clients } from '../clients/clients.ts'

const columns = ['answer', 'stream', 'tools', 'structured output'] as const

/** The part of docs/clients.md that comes from the clients' tests, without running one. */
export function describeClients(): string {
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
      test(shown) {
        for (const feature of shown) features.add(feature)
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
