import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Components } from 'react-markdown'
import { readDocument } from '../../api/read-document.ts'
import { useAccount } from '../../layout/caller.ts'
import { Card } from '../../ui/card.tsx'
import { Choice } from '../../ui/choice.tsx'
import { QueryView } from '../../ui/states.tsx'
import { textLink } from '../../ui/text-link.ts'
import { Markdown } from '../playground/markdown.tsx'
import { fillPage, headingId } from './list-pages.ts'

/** The text of a page, with a model that the reader chooses. */
export function DocsText({ page }: { readonly page: string }) {
  const models = useAccount().models.filter(({ kind }) => kind === 'chat')
  const [chosen, setChosen] = useState(models[0]?.id ?? 'MODEL')
  const text = useQuery(readDocument(`/api/docs/${page}.md`))
  return (
    <Card isFlush>
      <QueryView query={text} lines={12}>
        {(markdown) => (
          <div className="space-y-5 p-5">
            {/\bMODEL\b/.test(markdown) && models.length > 1 && (
              <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
                <span aria-hidden="true" className="text-sm font-medium">
                  Model in the examples
                </span>
                <Choice
                  label="Model in the examples"
                  options={models.map(({ id }) => [id, id] as const)}
                  value={chosen}
                  onChange={setChosen}
                />
              </div>
            )}
            <Sections text={fillPage(markdown, chosen)} />
          </div>
        )}
      </QueryView>
    </Card>
  )
}

/** The text, scrolled to the section that the address names. */
function Sections({ text }: { readonly text: string }) {
  const { hash } = useLocation()
  useEffect(() => {
    if (hash !== '') document.getElementById(hash)?.scrollIntoView()
  }, [hash])
  return <Markdown text={text} further={sections} />
}

const isOwn = (href: string): boolean => URL.canParse(href) && new URL(href).origin === location.origin

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
