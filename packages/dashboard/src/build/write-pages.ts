import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Rolldown } from 'vite'
import { latinFont } from './build-site.ts'
import type { FirstViewModule } from './first-views.ts'

type Chunk = Rolldown.OutputChunk

/** Around the first view, which control leaves out for strangers. */
const begin = '<!--first-view-->'
const end = '<!--/first-view-->'

/** Has no first view, so its code decides when anything is painted. */
const invitationAddress = '/invitations/*'

/**
 * Writes one HTML file per page of the dashboard. Each has a first view and names the files that the page needs, so that
 * the browser requests all of them at once: otherwise it learns of each file only from the code of the one before.
 *
 * `pages.json` has the file of each address. `*` stands for any rest; the first address that matches counts.
 *
 * @param outDir a build, with `index.html` of the dashboard and `sign-in.html`
 * @param firstScript the address of the script that runs before the first paint
 * @param otherFiles the files of pages that are no part of the dashboard's app, by address
 * @throws Error for a page whose code is not in the module that its address names
 */
export async function writePages(
  outDir: string,
  chunks: readonly Chunk[],
  firstScript: string,
  { addresses, renderFirstView }: FirstViewModule,
  otherFiles: ReadonlyMap<string, string>
): Promise<void> {
  preloadFont(outDir, ['index.html', 'sign-in.html'])
  const index = join(outDir, 'index.html')
  const html = readFileSync(index, 'utf8').replace(
    /^(?= *<script type="module")/m,
    // It reads the brand and the icon, so it follows them. Unlike modules, it keeps the browser from painting before
    // it.
    `    <script src="${firstScript}"></script>\n`
  )
  if (!html.includes(firstScript)) throw new Error('index.html has no module')
  writeFileSync(index, html)
  const files: Record<string, string> = Object.fromEntries(otherFiles)
  for (const [count, address] of [invitationAddress, ...addresses].entries()) {
    const file = `page-${count}.html`
    files[address] = file
    const view = address === invitationAddress ? '' : begin + (await renderFirstView(address)) + end
    const page = html.replace('<div id="root"></div>', (root) => view + root)
    writeFileSync(join(outDir, file), addLinks(page, chunks, moduleOf(address)))
  }
  writeFileSync(join(outDir, 'pages.json'), JSON.stringify(files))
}

/** Modules of pages that are not named after the first part of their address, as `keys-page` is. */
const otherModules: Readonly<Record<string, string>> = {
  [invitationAddress]: 'invitation-page',
  '/dashboard': 'overview-page',
  '/dashboard/keys/*': 'key-page',
  '/dashboard/requests/*': 'request-page'
}

/** The module with the code of a page; null for several pages, and for those whose code only operators load. */
function moduleOf(address: string): string | null {
  // The browser asks for a page before control knows who asks.
  if (address === '/dashboard/*' || address.startsWith('/dashboard/operator/')) return null
  return otherModules[address] ?? `${address.split('/')[2]}-page`
}

/** Names the font of Latin letters in pages, so that browsers request it before they read the styles. */
function preloadFont(outDir: string, files: readonly string[]): void {
  const link = `<link rel="preload" as="font" type="font/woff2" crossorigin href="/assets/${latinFont(outDir)}">`
  for (const file of files) {
    const path = join(outDir, file)
    const html = readFileSync(path, 'utf8')
    writeFileSync(path, html.replace(/^(?= *<link rel="stylesheet")/m, `    ${link}\n`))
  }
}

function addLinks(html: string, chunks: readonly Chunk[], module: string | null): string {
  if (module === null) return html
  // Its own file, or one that it shares with other pages.
  const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/${module}.tsx`)))
  if (chunk === undefined) throw new Error(`the build has no ${module}.tsx, which write-pages.ts names`)
  const links = staticClosure(chunk, chunks)
    .filter((name) => !html.includes(`/${name}"`))
    .map((name) => `    <link rel="modulepreload" crossorigin href="/${name}">\n`)
  return html.replace('  </head>', `${links.join('')}  </head>`)
}

/** The names of a chunk and of everything that it imports, without what it loads later. */
function staticClosure(chunk: Chunk, all: readonly Chunk[]): string[] {
  const names = new Set([chunk.fileName])
  // A set goes on with what is added to it.
  for (const name of names) {
    for (const imported of all.find(({ fileName }) => fileName === name)?.imports ?? []) names.add(imported)
  }
  return [...names]
}
