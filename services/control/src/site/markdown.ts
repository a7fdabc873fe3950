import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { type Html, trustHtml, withoutDirections } from './html.ts'

/**
 * Renders an operator's Markdown, with GitHub's tables and links. HTML in it is shown as text, and links have no
 * dangerous protocols: those are the library's defaults.
 *
 * @param headingLevel the level of `#`, so that texts fit below the headings of a page
 */
export function renderMarkdown(markdown: string, headingLevel = 2): Html {
  const shift = headingLevel - 1
  const rendered = micromark(withoutDirections(markdown), { extensions: [gfm()], htmlExtensions: [gfmHtml()] })
  return trustHtml(
    // Only elements match: every `<` of a text is escaped.
    rendered.replaceAll(/<(\/?)h([1-6])>/g, (_, slash: string, level: string) => {
      return `<${slash}h${Math.min(6, Number(level) + shift)}>`
    })
  )
}
