import { sectionTitle } from './class-names.ts'
import { type Html, html } from './html.ts'
import { renderMarkdown } from './markdown.ts'
import type { Section } from './site-texts.ts'

/** The id of an answer. A link to it opens its question. */
export const questionId = (index: number): string => `question-${index + 1}`

/** Questions that open without scripts. */
export const questionList = (questions: readonly Section[]): Html =>
  html`<h2 id="questions" class="${sectionTitle}">Questions</h2><div class="mt-5 divide-y divide-line border-y border-line">${questions.map(
    ({ title, markdown }, index) =>
      html`<details class="group"${index === 0 && html` open`}><summary class="flex items-baseline justify-between gap-4 py-3.5 font-medium [&::-webkit-details-marker]:hidden"><span>${title}</span><span aria-hidden="true" class="text-lg leading-none text-ink-soft group-open:rotate-45 motion-safe:transition-transform">+</span></summary><div id="${questionId(index)}" class="prose max-w-3xl scroll-mt-16 pb-4 text-ink-soft">${renderMarkdown(markdown, 3)}</div></details>`
  )}</div>`

/** The questions as structured data. Their answers are Markdown, which reads as text. */
export const questionData = (questions: readonly Section[]): Readonly<Record<string, unknown>> => ({
  '@type': 'FAQPage',
  mainEntity: questions.map(({ title, markdown }) => ({
    '@type': 'Question',
    name: title,
    acceptedAnswer: { '@type': 'Answer', text: markdown }
  }))
})
