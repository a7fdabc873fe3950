import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { type Html, trustHtml, withoutDirections } from './html.ts'

/**
 * Renders an operator's Markdown, with GitHub's tables and links. HTML in it is shown as text, and links have no
 * dangerous protocols: those are the library's defaults.
 *
 * @param topLevel the level of the text's highest heading, so that it fits below the headings of a page
 */
export function renderMarkdown(markdown: string, topLevel = 2): Html {
  const rendered = micromark(withoutDirections(markdown), { extensions: [gfm()], htmlExtensions: [gfmHtml()] })
  // Only elements match: every `<` of a text is escaped. The heading of footnotes has attributes.
  const levels = [...rendered.matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level))
  const shift = topLevel - Math.min(...levels)
  return trustHtml(
    // Tables may be wider than the page: the keyboard scrolls them.
    rendered
      .replaceAll('<table>', '<table tabindex="0">')
      .replaceAll(
        /<(\/?)h([1-6])(?=[ >])/g,
        (_, slash: string, level: string) => `<${slash}h${Math.min(6, Number(level) + shift)}`
      )
  )
}
