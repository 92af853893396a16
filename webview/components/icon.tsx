/** A codicon. Decorative: the control around it carries the name. Only icons mapped in styles/icons.css exist. */
export function Icon({ name }: { readonly name: string }) {
  return <span class={`icon icon-${name}`} aria-hidden="true" />;
}
