import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A title with Markdown below it. */
export interface Section {
  readonly title: string
  readonly markdown: string
}

/** The names of pages about law that an operator can have, in the order in which pages link them. */
export const legalPages = { terms: 'Terms', privacy: 'Privacy', imprint: 'Imprint' } as const
export type LegalPage = keyof typeof legalPages
export const legalPageNames = Object.keys(legalPages) as LegalPage[]

/** The operator's own texts of the public pages. Each one that is missing has a default, or no page. */
export interface SiteTexts {
  readonly headline: { readonly title: string; readonly subline: string | null } | null
  readonly points: readonly Section[] | null
  readonly questions: readonly Section[] | null
  readonly legal: Readonly<Partial<Record<LegalPage, Section>>>
}

/** Without the operator's texts. */
export const noSiteTexts: SiteTexts = { headline: null, points: null, questions: null, legal: {} }

const files = ['headline.md', 'points.md', 'questions.md', ...legalPageNames.map((name) => `${name}.md`)]
const maxBytes = 200_000
const maxHeadline = 120

/**
 * Reads the folder of `SITE_TEXTS`.
 *
 * @throws Error that names the file and says what is wrong
 */
export function readSiteTexts(folder: string): SiteTexts {
  const names = readFolder(folder)
  const unknown = names.find((name) => name.endsWith('.md') && !files.includes(name))
  if (unknown !== undefined) throw new Error(`${unknown} is no text of the site. It can have ${files.join(', ')}`)
  const read = (name: string): string | null => (names.includes(name) ? readText(folder, name) : null)
  const [headline, points, questions] = [read('headline.md'), read('points.md'), read('questions.md')]
  return {
    headline: headline === null ? null : readHeadline(headline),
    points: points === null ? null : readSections('points.md', points, 3),
    questions: questions === null ? null : readSections('questions.md', questions, 50),
    legal: Object.fromEntries(
      legalPageNames.flatMap((name) => {
        const text = read(`${name}.md`)
        return text === null ? [] : [[name, readPage(text, legalPages[name])]]
      })
    )
  }
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    throw new Error('must be a folder that control can read')
  }
}

function readText(folder: string, name: string): string {
  const bytes = readFileSync(join(folder, name))
  if (bytes.length > maxBytes) throw new Error(`${name} has more than ${maxBytes / 1000} kB`)
  const text = new TextDecoder('utf-8', { fatal: true })
  try {
    const decoded = text.decode(bytes).replaceAll('\r\n', '\n').trim()
    if (decoded !== '') return decoded
  } catch {
    throw new Error(`${name} must be text in UTF-8`)
  }
  throw new Error(`${name} is empty`)
}

/** The first line is the headline, the paragraph after it the line below. */
function readHeadline(text: string): SiteTexts['headline'] {
  const [first = '', ...rest] = text.split('\n')
  const title = first.replace(/^#+\s*/, '').trim()
  if (title === '' || title.length > maxHeadline) {
    throw new Error(`headline.md must begin with a headline of at most ${maxHeadline} characters`)
  }
  const [subline = ''] = rest
    .join('\n')
    .trim()
    .split(/\n\s*\n/)
  return { title, subline: subline === '' ? null : subline.replaceAll(/\s*\n\s*/g, ' ') }
}

/** Sections that begin with `## title`. */
function readSections(name: string, text: string, max: number): Section[] {
  const [before, ...parts] = `\n${text}`.split(/\n##\s+/)
  if ((before ?? '').trim() !== '' || parts.length === 0) throw new Error(`${name} must begin with a line "## title"`)
  if (parts.length > max) throw new Error(`${name} may have ${max} parts "## title", and has ${parts.length}`)
  return parts.map((part) => {
    const [title = '', ...lines] = part.split('\n')
    const markdown = lines.join('\n').trim()
    if (title.trim() === '' || markdown === '') throw new Error(`${name} has a part "## ${title}" without a text`)
    return { title: title.trim(), markdown }
  })
}

/** A page. Its title is its first line if that is `# title`. */
function readPage(text: string, defaultTitle: string): Section {
  const [first = '', ...rest] = text.split('\n')
  const title = /^#\s+(.+)$/.exec(first)?.[1]?.trim()
  return title === undefined ? { title: defaultTitle, markdown: text } : { title, markdown: rest.join('\n').trim() }
}
