import { readFileSync } from 'node:fs'
import { listMailFiles } from '@tollgate/cli/mails/mails-command.ts'
import { describeAllSettings } from '@tollgate/cli/settings/describe-settings.ts'
import { commandTable, describeCommands } from '@tollgate/cli/tollgate/commands.ts'
import { builtInBrand } from '@tollgate/service/brand/brand.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { describeClients } from '../docs/describe-clients.ts'
import { describeAllEvents } from '../docs/describe-events.ts'
import { describeMetrics } from '../docs/describe-metrics.ts'
import { documentedMetrics } from '../docs/documented-metrics.ts'
import { writeDocument } from '../wrong-settings/document.ts'

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
