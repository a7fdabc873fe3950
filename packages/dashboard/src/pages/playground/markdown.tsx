import { toJsxRuntime } from 'hast-util-to-jsx-runtime'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'
import { type ComponentProps, type ReactNode, useDeferredValue, useMemo } from 'react'
import { Fragment, jsx, jsxs } from 'react/jsx-runtime'
import type { Components, ExtraProps } from 'react-markdown'
import ReactMarkdown from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { textLink } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy-button.tsx'

/**
 * An answer as Markdown. The text comes from a model, so nothing in it is trusted: HTML is shown as text, addresses
 * other than http(s) and mailto are removed, and pictures are links, because the page loads nothing from other hosts.
 */
export function Markdown({ text, further }: { readonly text: string; readonly further?: Components }) {
  return (
    <div className="markdown break-words">
      <ReactMarkdown
        remarkPlugins={plugins}
        components={further === undefined ? components : { ...components, ...further }}
      >
        {text}
      </ReactMarkdown>
    </div>
  )
}

const plugins = [remarkGfm]

function CodeView({ node }: ComponentProps<'pre'> & ExtraProps) {
  const code = node?.children[0]
  const isCode = code?.type === 'element'
  const text = isCode && code.children[0]?.type === 'text' ? code.children[0].value.replace(/\n$/, '') : ''
  const names = isCode && Array.isArray(code.properties.className) ? code.properties.className : []
  const language =
    names
      .map(String)
      .find((name) => name.startsWith('language-'))
      ?.slice('language-'.length) ?? ''
  // The code is shown first and coloured then: the grammar of a language takes long on a slow machine.
  const isColoured = useDeferredValue(true, false)
  const tree = useMemo(() => (isColoured ? highlight(text, language) : null), [isColoured, text, language])
  const what = language === '' ? 'the code' : `the ${language} code`
  return (
    <div className="my-3 overflow-hidden rounded-xl border border-line bg-sunken">
      <div className="flex min-h-9 items-center justify-between gap-2 border-b border-line py-1 pr-1.5 pl-3.5 text-[0.8125rem] text-ink-soft">
        <span className="min-w-0 truncate font-mono">{language}</span>
        <CopyButton text={text} what={what} />
      </div>
      <Scrollable label={what} className="max-h-[32rem] overflow-auto rounded-b-xl p-3.5">
        <pre className="font-mono text-[0.8125rem] leading-relaxed">
          <code>{tree === null ? text : toJsxRuntime(tree, { Fragment, jsx, jsxs })}</code>
        </pre>
      </Scrollable>
    </div>
  )
}

/** A part that may be wider than its place. No landmark, since a conversation has many. */
function Scrollable({ label, className, children }: { label: string; className: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div role="group" tabIndex={0} aria-label={label} className={className}>
      {children}
    </div>
  )
}

const components: Components = {
  pre: CodeView,
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" className={textLink}>
      {children}
    </a>
  ),
  img: ({ src, alt }) => (
    <a href={String(src ?? '')} target="_blank" rel="noopener noreferrer nofollow" className={textLink}>
      {alt === undefined || alt === '' ? 'Picture' : alt}
    </a>
  ),
  table: ({ children }) => (
    <Scrollable label="Table" className="my-3 max-w-full overflow-x-auto">
      <table>{children}</table>
    </Scrollable>
  )
}

/** Only these: all of highlight.js would be far larger than the rest of the page. */
const lowlight = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  php,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
  yaml
})
lowlight.registerAlias({ bash: ['sh', 'shell', 'zsh', 'console'], typescript: ['tsx'], javascript: ['jsx', 'node'] })

/** Long code would make the page slow while an answer streams. */
const maxLength = 20_000

/** Marks the parts of code with class names, as a syntax tree. @returns null for a language that it does not know */
function highlight(code: string, language: string): ReturnType<typeof lowlight.highlight> | null {
  if (code.length > maxLength || !lowlight.registered(language)) return null
  return lowlight.highlight(language, code)
}
