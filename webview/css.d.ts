/** Style sheets are imported for their effect: the bundler puts them into dist/webview.css. */
declare module '*.css';
