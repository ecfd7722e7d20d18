/** Files that the bundler embeds as text. */
declare module '*.sql' {
  const text: string;
  export default text;
}

declare module '*.css' {
  const text: string;
  export default text;
}
