import { useLocation } from '@tanstack/react-router'
import { headingId, type ModelsOfExamples } from '@tollgate/contracts/docs/docs-facts.ts'
import { type ReactNode, useEffect } from 'react'
import type { Components } from 'react-markdown'
import { fillPage } from '../../docs/list-pages.ts'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/class-names.ts'
import { Markdown } from '../playground/markdown.tsx'

interface DocsViewProps {
  readonly markdown: string
  readonly models: ModelsOfExamples
  /** With which the reader chooses the model in the examples. */
  readonly choice: ReactNode
}

/** The text of a page, with models of the reader. The build renders it too, without a reader. */
export const DocsView = ({ markdown, models, choice }: DocsViewProps) => (
  <Card isFlush>
    <div className="space-y-5 p-5">
      {/\bMODEL\b/.test(markdown) && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <span aria-hidden="true" className="text-sm font-medium">
            {modelLabel}
          </span>
          {choice}
        </div>
      )}
      <Sections text={fillPage(markdown, models)} />
    </div>
  </Card>
)

/** Of the choice of a model. */
export const modelLabel = 'Model in the examples'

/** The text, scrolled to the section that the address names. */
function Sections({ text }: { readonly text: string }) {
  const { hash } = useLocation()
  useEffect(() => {
    if (hash !== '') document.getElementById(hash)?.scrollIntoView()
  }, [hash])
  return <Markdown text={text} further={sections} />
}

/** The build has no location. Nobody can follow the links of its text. */
const isOwn = (href: string): boolean => URL.canParse(href) && new URL(href).origin === globalThis.location?.origin

const sections: Components = {
  h2: ({ children }) => (
    <h2 id={headingId(String(children))} className="scroll-mt-20 break-words">
      {children}
    </h2>
  ),
  a: ({ href = '', children }) => (
    <a href={href} className={textLink} {...(!isOwn(href) && { target: '_blank', rel: 'noopener noreferrer' })}>
      {children}
    </a>
  )
}
