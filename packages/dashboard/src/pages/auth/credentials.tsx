import { PasswordField, TextField } from '../../forms/fields.tsx'

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

export function NewPasswordField({ label = 'Password' }: { readonly label?: string }) {
  return (
    <PasswordField
      name="password"
      label={label}
      autoComplete="new-password"
      hint="Use at least 8 characters. A few random words work well."
      required
    />
  )
}
