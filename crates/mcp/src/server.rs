//! The request handler: which parts of the protocol are answered, and by what.

use crate::answer::{self, refused};
use crate::call::fulfil;
use crate::close::{self, no_answer};
use crate::house::{House, OpenTask};
use crate::tools::{OwnTool, TASK, all};
use crate::{connections, instructions, open, prompts, reopen, resources};
use ledger::ToolSpec;
use llm::Wish;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult, ErrorCode,
    GetPromptRequestParams, GetPromptResponse, Implementation, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use std::sync::Arc;

/// Answers requests using the shared state; clones behave the same.
#[derive(Clone)]
pub(crate) struct Server {
    house: Arc<House>,
}

impl Server {
    pub(crate) fn new(house: Arc<House>) -> Server {
        Server { house }
    }

    async fn called(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let (name, arguments) = (request.name, request.arguments.unwrap_or_default());
        let own = OwnTool::of_name(&name);
        let spec = self.house.tools.get(&*name);
        if own.is_none() && spec.is_none() {
            let name: String = name.chars().take(100).collect();
            return Err(ErrorData::invalid_params(format!("there is no tool {name:?}"), None));
        }
        let Ok(_under_way) = Arc::clone(&self.house.calls).try_acquire_owned() else {
            return Ok(refused("too_many_calls", "too many calls are under way; make this one again later"));
        };
        Ok(match (own, spec) {
            (Some(own), _) => self.own(own, &arguments, context).await,
            (None, Some(spec)) => self.catalogue(spec, arguments, context).await,
            (None, None) => refused("unknown_tool", "there is no such tool"),
        })
    }

    /// Calls a catalogue tool: the engine decides about it.
    async fn catalogue(
        &self,
        spec: &ToolSpec,
        mut arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let handle = arguments.remove(TASK);
        let Some(task) = self.task(handle.as_ref()) else { return no_task() };
        if let Some(own) = helped(spec, &arguments) {
            return answer::noted(own.help());
        }
        let wish = Wish::Call { tool: spec.name.clone(), arguments: Value::Object(arguments) };
        match fulfil(&task, wish, context).await {
            Ok(told) => answer::of(&task, &told),
            Err(no) => no_answer(no),
        }
    }

    /// Calls one of the server's own tools.
    async fn own(
        &self,
        tool: OwnTool,
        arguments: &JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        if let Err(wrong) = known(tool, arguments) {
            return refused("bad_arguments", &wrong);
        }
        match tool {
            OwnTool::OpenRun => match opening(arguments) {
                Ok(Opening::New { agents }) => open::open(&self.house, &agents, context).await,
                Ok(Opening::Again { run, key }) => reopen::reopen(&self.house, run, key, context).await,
                Err(wrong) => refused("bad_arguments", wrong),
            },
            OwnTool::CloseTask => {
                let Some(task) = self.task(arguments.get(TASK)) else { return no_task() };
                let (words, all) = match closing(arguments) {
                    Ok(closing) => closing,
                    Err(wrong) => return refused("bad_arguments", wrong),
                };
                close::close_task(&task, words, all, context).await
            }
            OwnTool::CloseRun => {
                let handle = arguments.get("run").and_then(Value::as_str);
                match handle.and_then(|handle| self.house.run(handle)) {
                    Some(run) => close::close_run(&run, context).await,
                    None => refused("unknown_handle", "run: expected the run handle that open_run gave you"),
                }
            }
            OwnTool::ListRuns => self
                .blocking(|house| close::list(&house))
                .await
                .unwrap_or_else(|| refused("defect", "a thread of the program panicked")),
            OwnTool::AskGraph => {
                let arguments = arguments.clone();
                self.blocking(move |house| connections::answer(&house, &arguments))
                    .await
                    .unwrap_or_else(|| refused("defect", "a thread of the program panicked"))
            }
        }
    }

    /// Returns the task with this handle.
    fn task(&self, handle: Option<&Value>) -> Option<Arc<OpenTask>> {
        handle.and_then(Value::as_str).and_then(|handle| self.house.task(handle))
    }

    /// Runs work that reads files on a blocking thread; `None` if that thread panicked.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(Arc<House>) -> T + Send + 'static,
    ) -> Option<T> {
        let _read = self.house.reads.acquire().await.ok()?;
        let house = Arc::clone(&self.house);
        tokio::task::spawn_blocking(move || work(house)).await.ok()
    }
}

/// Returns the server's own tool that a `help` call is about: the engine, which answers all other calls, does not know these tools.
fn helped(spec: &ToolSpec, arguments: &JsonObject) -> Option<OwnTool> {
    let about = arguments.get("about").filter(|_| spec.name == "help")?;
    OwnTool::of_name(about.as_str()?.trim())
}

fn no_task() -> CallToolResult {
    refused("unknown_handle", "task: expected the task handle that open_run gave you")
}

/// Refuses arguments that the tool does not have: a misspelt one would otherwise be ignored silently.
fn known(tool: OwnTool, arguments: &JsonObject) -> Result<(), String> {
    let members: &[&str] = match tool {
        OwnTool::OpenRun => &["agents", "run", "key"],
        OwnTool::CloseTask => &[TASK, "words", "all"],
        OwnTool::CloseRun => &["run"],
        OwnTool::ListRuns => &[],
        OwnTool::AskGraph => &connections::MEMBERS,
    };
    match arguments.keys().find(|key| !members.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => {
            let key: String = key.chars().take(100).collect();
            Err(format!("there is no argument {key:?}; there are: {}", members.join(", ")))
        }
    }
}

/// The run that a client wants to open.
enum Opening<'a> {
    New { agents: Vec<String> },
    Again { run: &'a str, key: Option<&'a str> },
}

fn opening(arguments: &JsonObject) -> Result<Opening<'_>, &'static str> {
    let agents = names(arguments.get("agents"))?;
    let run = text(arguments.get("run")).ok_or("run: expected the name of a run")?;
    let key = text(arguments.get("key")).ok_or("key: expected a text")?;
    match (run, key) {
        (None, None) => Ok(Opening::New { agents }),
        (None, Some(_)) => Err("key: it opens the run again that `run` names"),
        (Some(_), _) if !agents.is_empty() => Err("agents: a run that is opened again has its own"),
        (Some(run), key) => Ok(Opening::Again { run, key }),
    }
}

/// Returns a text or its absence; `None` if the value is something else.
fn text(value: Option<&Value>) -> Option<Option<&str>> {
    match value {
        None | Some(Value::Null) => Some(None),
        Some(value) => value.as_str().map(Some),
    }
}

fn names(value: Option<&Value>) -> Result<Vec<String>, &'static str> {
    const WRONG: &str = "agents: expected a list of at most 16 names";
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) if items.len() <= 16 => {
            items.iter().map(|item| item.as_str().map(str::to_owned).ok_or(WRONG)).collect()
        }
        Some(_) => Err(WRONG),
    }
}

fn closing(arguments: &JsonObject) -> Result<(String, bool), &'static str> {
    let words = match arguments.get("words") {
        None | Some(Value::Null) => None,
        Some(Value::String(words)) => Some(words.as_str()),
        Some(_) => return Err("words: expected a text"),
    };
    let all = match arguments.get("all") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(all)) => *all,
        Some(_) => return Err("all: expected true or false"),
    };
    Ok((close::words(words), all))
}

fn defect() -> ErrorData {
    ErrorData::internal_error("a thread of the program panicked", None)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        let mut info = ServerConfig::new(capabilities).with_instructions(instructions::SERVER);
        info.server_info = Implementation::new("locard", env!("CARGO_PKG_VERSION"));
        info
    }

    /// Handles what the library cannot parse: unknown methods, and parameters that do not fit their method.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let expected = match request.method.as_str() {
            "tools/call" => "name, a text, and arguments, an object",
            "prompts/get" => "name, a text",
            "resources/read" => "uri, a text",
            "initialize" => "protocolVersion, a text, capabilities, an object, and clientInfo, an object",
            method => {
                let method: String = method.chars().take(100).collect();
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None));
            }
        };
        Err(ErrorData::invalid_params(format!("params of {}: expected {expected}", request.method), None))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(all(self.house.listed.values(), self.house.settings.answers)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let result = self.called(request, &context).await?;
        Ok(answer::in_form(result, self.house.settings.answers).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.blocking(|house| resources::list(&house)).await.ok_or_else(defect)?;
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let read = self.blocking(move |house| resources::read(&house, &uri)).await.ok_or_else(defect)?;
        let (kind, text) = read.map_err(|error| ErrorData::resource_not_found(error.to_string(), None))?;
        let contents = ResourceContents::text(text, request.uri).with_mime_type(kind);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list(&self.house)))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let unknown = || ErrorData::invalid_params("there is no such prompt", None);
        prompts::get(&self.house, &request.name).map(GetPromptResponse::from).ok_or_else(unknown)
    }
}
