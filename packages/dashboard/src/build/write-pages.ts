import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Rolldown } from 'vite'
import type { RenderPage } from './first-views.ts'

type Chunk = Rolldown.OutputChunk

/** What pages show until their code runs. */
export interface FirstViews {
  readonly render: RenderPage
  /** The address of the script that runs before the first paint. */
  readonly script: string
}

/** Only operators load the code of their pages, and the browser asks for a page before control knows who asks. */
const isOfOperators = (address: string): boolean => address.startsWith('/dashboard/operator')

/** Around the first view, which control leaves out for strangers. */
const begin = '<!--first-view-->'
const end = '<!--/first-view-->'

/**
 * Writes one HTML file per page. Each names the files that its page needs, so that the browser requests all of them at
 * once: otherwise it learns of each file only from the code of the one before. Each also has a first view.
 *
 * `pages.json` has the file of each address, in the form that Fastify takes.
 *
 * @param outDir a build, with `index.html` of the dashboard and `sign-in.html`
 * @param otherFiles the files of pages that are no part of the dashboard's app, by address
 */
export async function writePages(
  outDir: string,
  chunks: readonly Chunk[],
  pages: ReadonlyMap<string, readonly string[]>,
  otherFiles: ReadonlyMap<string, string>,
  { render, script }: FirstViews
): Promise<void> {
  preloadFont(outDir, ['index.html', 'sign-in.html'])
  const index = join(outDir, 'index.html')
  const html = readFileSync(index, 'utf8').replace(
    /^(?= *<script type="module")/m,
    // It reads the brand and the icon, so it follows them. Unlike modules, it keeps the browser from painting before
    // it.
    `    <script src="${script}"></script>\n`
  )
  if (!html.includes(script)) throw new Error('index.html has no module')
  writeFileSync(index, html)
  const files: Record<string, string> = Object.fromEntries(otherFiles)
  let count = 0
  for (const [address, modules] of pages) {
    const file = `page-${count++}.html`
    files[address] = file
    const view = address.startsWith('/dashboard') ? begin + (await render(address)) + end : ''
    writeFileSync(
      join(outDir, file),
      addLinks(html, chunks, isOfOperators(address) ? [] : modules).replace(
        '<div id="root"></div>',
        (root) => view + root
      )
    )
  }
  writeFileSync(join(outDir, 'pages.json'), JSON.stringify(files))
}

/** Names the font of Latin letters in pages, so that browsers request it before they read the styles. */
function preloadFont(outDir: string, files: readonly string[]): void {
  const font = readdirSync(join(outDir, 'assets')).find((name) => /^geist-latin-400.*\.woff2$/.test(name))
  if (font === undefined) throw new Error('the build has no font of Latin letters')
  const link = `<link rel="preload" as="font" type="font/woff2" crossorigin href="/assets/${font}">`
  for (const file of files) {
    const path = join(outDir, file)
    const html = readFileSync(path, 'utf8')
    writeFileSync(path, html.replace(/^(?= *<link rel="stylesheet")/m, `    ${link}\n`))
  }
}

function addLinks(html: string, chunks: readonly Chunk[], modules: readonly string[]): string {
  const needed = modules.flatMap((module) => chunks.filter(({ facadeModuleId }) => facadeModuleId === resolve(module)))
  const scripts = staticClosure(needed, chunks)
  const styles = scripts.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])])
  const isMissing = (name: string) => !html.includes(`/${name}"`)
  const links = [
    ...scripts
      .map(({ fileName }) => fileName)
      .filter(isMissing)
      .map((name) => `<link rel="modulepreload" crossorigin href="/${name}">`),
    ...[...new Set(styles)]
      .filter(isMissing)
      // Applied at once: the first view of a page may need it.
      .map((name) => `<link rel="stylesheet" crossorigin href="/${name}">`)
  ]
  return html.replace('</head>', `${links.map((link) => `  ${link}\n  `).join('')}</head>`)
}

/** Chunks and everything that they import, without what they load later. */
function staticClosure(chunks: readonly Chunk[], all: readonly Chunk[]): Chunk[] {
  const byName = new Map(all.map((chunk) => [chunk.fileName, chunk]))
  const found = new Set<Chunk>()
  const add = (chunk: Chunk | undefined) => {
    if (chunk === undefined || found.has(chunk)) return
    found.add(chunk)
    for (const name of chunk.imports) add(byName.get(name))
  }
  for (const chunk of chunks) add(chunk)
  return [...found]
}
