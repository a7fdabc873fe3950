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

/** Only these: all of highlight.js would be far larger than the rest of the page. */
const lowlight = createLowlight({
  ...{
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
  }
})
lowlight.registerAlias({ bash: ['sh', 'shell', 'zsh', 'console'], typescript: ['tsx'], javascript: ['jsx', 'node'] })

/** Long code would make the page slow while an answer streams. */
const maxLength = 20_000

/** Marks the parts of code with class names, as a syntax tree. @returns null for a language that it does not know */
export function highlight(code: string, language: string): ReturnType<typeof lowlight.highlight> | null {
  if (code.length > maxLength || !lowlight.registered(language)) return null
  return lowlight.highlight(language, code)
}
