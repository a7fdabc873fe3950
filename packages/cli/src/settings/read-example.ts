/** A variable of `.env.example`. */
export interface ExampleVariable {
  readonly name: string
  /** What follows `=`; '' if nothing does. */
  readonly value: string
  /** The comment above it, a line each. */
  readonly lines: readonly string[]
}

export interface ExampleSection {
  readonly title: string
  readonly variables: readonly ExampleVariable[]
}

/** Reads the sections of `.env.example`: `# ---- title ----`, and in them variables, each below its comment. */
export function readExample(text: string): ExampleSection[] {
  const sections: Array<ExampleSection & { variables: ExampleVariable[] }> = []
  let lines: string[] = []
  for (const line of text.split('\n')) {
    const title = /^# -+ (.*?)\.? -+$/.exec(line)?.[1]
    const variable = /^# ([A-Z][A-Z0-9_]+)=(.*)$/.exec(line)
    if (title !== undefined) sections.push({ title, variables: [] })
    else if (variable !== null) sections.at(-1)!.variables.push({ name: variable[1]!, value: variable[2]!, lines })
    else if (line !== '') {
      lines.push(line.replace(/^# ?/, ''))
      continue
    }
    lines = []
  }
  return sections
}
