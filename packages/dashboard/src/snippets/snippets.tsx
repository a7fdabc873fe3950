import { useState } from 'react'
import { CodeBlock } from '../ui/copy-button.tsx'
import { Segments } from '../ui/segments.tsx'
import { type Language, languages, type SnippetOptions } from './snippet-options.ts'
import { writeSnippets } from './write-snippets.ts'

/** A chat call as code, in a language that the reader chooses. */
export function Snippets(options: SnippetOptions) {
  const [language, setLanguage] = useState<Language>('curl')
  const name = languages.find(([name]) => name === language)?.[1] ?? language
  return (
    <div className="space-y-2.5">
      <Segments legend="Language" options={languages} value={language} onChange={setLanguage} />
      <CodeBlock code={writeSnippets(options)[language]} what={`the ${name} snippet`} />
    </div>
  )
}
