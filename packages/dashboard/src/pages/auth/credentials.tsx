import { TextField } from '../../forms/fields.tsx'

export function AddressField({ defaultValue }: { readonly defaultValue?: string }) {
  return (
    <TextField
      name="email"
      label="E-mail address"
      type="email"
      autoComplete="email"
      inputMode="email"
      maxLength={255}
      required
      {...(defaultValue !== undefined && { defaultValue })}
    />
  )
}
