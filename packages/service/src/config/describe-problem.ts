/** An error of typebox. */
interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly message: string
  readonly params: unknown
}

/** The members of a variable's schema that the words use. */
interface VariableSchema {
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly where?: string
  readonly must?: string
}

/**
 * Describes a schema error of the configuration, with its cure.
 *
 * @param texts the variables' texts. They are never repeated, because they may be secrets.
 * @returns the affected variables with their problems
 */
export function describeProblem(
  error: SchemaError,
  properties: Readonly<Record<string, object>>,
  texts: Readonly<Record<string, string>>
): Array<[name: string, problem: string]> {
  const schemaOf = (name: string): VariableSchema => properties[name] ?? {}
  if (error.keyword === 'required') {
    const { requiredProperties } = error.params as { requiredProperties: string[] }
    return requiredProperties.map((name) => {
      const { where } = schemaOf(name)
      return [name, where === undefined ? 'missing' : `missing. ${where}`]
    })
  }
  const name = error.instancePath.split('/')[1] ?? ''
  return [[name, describeValue(error, schemaOf(name), texts[name] ?? '')]]
}

function describeValue({ message, params }: SchemaError, schema: VariableSchema, text: string): string {
  if (schema.must !== undefined) return `must be ${schema.must}`
  const { allowedValues } = (params ?? {}) as { allowedValues?: unknown[] }
  if (allowedValues !== undefined) return `must be one of ${allowedValues.join(', ')}`
  if (schema.type === 'integer' || schema.type === 'number') return describeNumber(schema, text)
  return schema.type === 'boolean' ? 'must be true or false' : message
}

function describeNumber({ type, minimum, maximum }: VariableSchema, text: string): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number'
  const range =
    minimum !== undefined && maximum !== undefined
      ? ` from ${minimum} to ${maximum}`
      : minimum === undefined
        ? ''
        : ` of ${minimum} or more`
  if (/^-?\d+,\d+$/.test(text)) {
    return type === 'integer'
      ? `must be ${kind}${range}: write it without a comma`
      : `must be ${kind}${range}: write a decimal point, not a comma`
  }
  // Kubernetes sets NAME_PORT for each Service.
  const origin = /^tcp:\/\//.test(text) ? '. Kubernetes set it: add "enableServiceLinks: false" to the pod' : ''
  return `must be ${kind}${range}${origin}`
}
